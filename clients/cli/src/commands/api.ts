import { command } from '../command.ts';
import { pairsOf, optionValue } from '../amounts.ts';
import { UsageError } from '../cli-error.ts';

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
    const reads = known === 'GET' || known === 'DELETE';
    const answer = await client.request<unknown>({
      method: known,
      path,
      ...(reads ? { query: fields } : { body: fields }),
      ...(values['idempotency-key'] !== undefined && { idempotencyKey: values['idempotency-key'] }),
    });
    output.json(answer);
  },
});
