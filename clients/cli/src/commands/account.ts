import { millisecondsOf, sumCredits } from '../amounts.ts';
import { command } from '../command.ts';
import { table } from '../table.ts';

const megabyte = 1024 * 1024;

export const whoami = command({
  usage: '',
  about: 'Shows the account, and what the key may do and has left.',
  options: {},
  run: async ({ client, output }) => {
    const [key, account] = await Promise.all([
      client.account.key(),
      // The key may lack the scope for this request.
      client.account.retrieve().catch(() => null),
    ]);
    output.result({ key, account }, [key.id], () => {
      const { daily_budget: budget, confirm_above: above } = key;
      return table([
        ['key', `${key.name} (${key.id})`],
        ['scopes', key.scopes.join(' ')],
        ['ends', key.expires_at ?? 'never'],
        ['budget', budget === null ? 'none' : `${budget.left} of ${budget.credits} credits left today`],
        ['asks above', above === null ? 'never' : `${above} credits`],
        ...(account === null
          ? []
          : [
              ['account', account.email ?? account.id],
              ['plan', account.tier?.name ?? ''],
            ]),
      ]);
    });
  },
});

export const balance = command({
  usage: '',
  about: 'Shows the credits.',
  options: {},
  run: async ({ client, output }) => {
    const found = await client.account.balance();
    output.result(found, [String(found.balance)], () =>
      table([
        ['to spend', String(found.balance)],
        ...(found.monthly === null
          ? []
          : [['of this month', `${found.monthly} of ${found.monthly_allowance ?? '?'}`]]),
        ...(found.lifetime === null ? [] : [['bought', String(found.lifetime)]]),
        ...(found.next_refill === null ? [] : [['next refill', found.next_refill]]),
      ]),
    );
  },
});

export const limits = command({
  usage: '',
  about: 'Shows how many generations may run at once, and do.',
  options: {},
  run: async ({ client, output }) => {
    const found = await client.account.limits();
    output.result(found, [], () => [JSON.stringify(found, undefined, 2)]);
  },
});

export const storage = command({
  usage: '',
  about: 'Shows how many bytes are stored, and may be.',
  options: {},
  run: async ({ client, output }) => {
    const found = await client.account.storage();
    const megabytes = (bytes: number | null) =>
      bytes === null ? 'no limit' : `${Math.round(bytes / megabyte)} MB`;
    output.result(found, [String(found.used_bytes)], () =>
      table([
        ['used', megabytes(found.used_bytes)],
        ['limit', megabytes(found.limit_bytes)],
        ['uploads', megabytes(found.uploads_bytes)],
        ['outputs', megabytes(found.outputs_bytes)],
      ]),
    );
  },
});

const groups = ['model', 'day', 'kind'] as const;

export const usage = command({
  usage: '',
  about: 'Adds up what generations that succeeded cost, by model, day (UTC) or kind.',
  options: {
    by: { form: 'GROUP', about: 'what is added up; model when left out', choices: groups },
    since: { form: 'TIME', about: 'how far back, as 12h or 7d; 30d when left out' },
  },
  run: async ({ client, output }, _words, values) => {
    const by = (values.by ?? 'model') as (typeof groups)[number];
    const from = Date.now() - millisecondsOf(values.since ?? '30d', 'since');
    const sums = new Map<string, { generations: number; outputs: number; credits: number }>();
    for await (const one of client.generations.list({ status: 'succeeded', limit: 100 })) {
      // The list is newest first, so all following items are older.
      if (Date.parse(one.created_at) < from) break;
      const group = by === 'day' ? one.created_at.slice(0, 10) : one[by];
      const sum = sums.get(group) ?? { generations: 0, outputs: 0, credits: 0 };
      sums.set(group, {
        generations: sum.generations + 1,
        outputs: sum.outputs + one.outputs.length,
        credits: sumCredits([sum.credits, one.cost.credits ?? 0]),
      });
    }
    const found = [...sums].map(([group, sum]) => ({ [by]: group, ...sum }));
    output.result(found, [...sums.keys()], () => table(found.map((row) => Object.values(row).map(String))));
  },
});
