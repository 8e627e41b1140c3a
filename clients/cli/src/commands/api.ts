import { command } from '../command.ts';
import { numberOf, optionValue, pairsOf } from '../amounts.ts';
import { UsageError } from '../cli-error.ts';
import type { Session } from '../session.ts';

const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const;

export const api = command({
  usage: 'METHOD PATH',
  about: 'Sends any request of the API: renderkit api GET /v1/generations -f limit=5',
  options: {
    field: {
      short: 'f',
      form: 'KEY=VALUE',
      about: 'a field of the query, or of the JSON body',
      multiple: true,
    },
    'idempotency-key': { form: 'KEY', about: 'of a create' },
    'max-retries': { form: 'N', about: 'tries after the first one; 4 when left out' },
    paginate: { about: 'all pages of a list, its items one on each line' },
  },
  run: async ({ client, output }, [method, path], values) => {
    const known = methods.find((one) => one === method?.toUpperCase());
    if (known === undefined || path === undefined || !path.startsWith('/'))
      throw new UsageError(
        `A request is METHOD PATH, with one of ${methods.join(', ')}.`,
        'As: renderkit api GET /v1/account',
      );
    const fields = Object.fromEntries(
      Object.entries(pairsOf(values.field ?? [], 'field')).map(([key, value]) => [key, optionValue(value)]),
    );
    if (values.paginate === true) return printPages(client, output, path, { known, fields });
    const reads = known === 'GET' || known === 'DELETE';
    const answer = await client.request<unknown>({
      method: known,
      path,
      ...(reads ? { query: fields } : { body: fields }),
      ...(values['max-retries'] !== undefined && {
        options: { maxRetries: numberOf(values['max-retries'], 'max-retries') },
      }),
      ...(values['idempotency-key'] !== undefined && { idempotencyKey: values['idempotency-key'] }),
    });
    output.json(answer);
  },
});

type ItemPage = { data?: object[]; has_more?: boolean; page?: number };

/** Prints the items of all pages, each once, even when new items push others to the next page in the meantime. */
async function printPages(
  client: Session['client'],
  output: Session['output'],
  path: string,
  { known, fields }: { known: string; fields: Record<string, string | number | boolean> },
): Promise<void> {
  if (known !== 'GET') throw new UsageError('--paginate is for GET.');
  const seen = new Set<unknown>();
  for (let page = Number(fields['page'] ?? 1); ; page += 1) {
    const query = { ...fields, page };
    const list = await client.request<ItemPage>({ method: 'GET', path, query });
    if (!Array.isArray(list.data)) throw new UsageError(`${path} is no list.`);
    for (const item of list.data) {
      const id = (item as { id?: unknown }).id ?? item;
      if (!seen.has(id)) output.json(item);
      seen.add(id);
    }
    if (list.has_more !== true) return;
  }
}
