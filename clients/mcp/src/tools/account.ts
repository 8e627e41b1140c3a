import { z } from 'zod';
import { defineTool } from '../tool.ts';

const number = z.number();
const text = z.string();

export const account = defineTool({
  name: 'account',
  title: 'Show the account',
  description: 'Credits, what is left of the budget of today, what runs and waits, and what the key may do.',
  input: z.strictObject({}),
  output: z.object({
    balance: number,
    budget_left_today: number.nullable(),
    running: number,
    queued: number,
    limit: number,
    key: z.object({ name: text, scopes: z.array(text), expires_at: text.nullable() }),
  }),
  annotations: { readOnlyHint: true },
  run: async (_given, { client }) => {
    const [{ balance }, limits, key] = await Promise.all([
      client.account.balance(),
      client.account.limits(),
      client.account.key(),
    ]);
    const data = {
      balance,
      budget_left_today: key.daily_budget?.left ?? null,
      running: limits.overall.running,
      queued: limits.image.queued + limits.edit.queued + limits.video.queued,
      limit: limits.overall.limit,
      key: { name: key.name, scopes: key.scopes, expires_at: key.expires_at },
    };
    const budget =
      data.budget_left_today === null ? '' : `, ${data.budget_left_today} of today's budget left`;
    const work = `${data.running} of ${data.limit} running, ${data.queued} waiting`;
    return { text: `${balance} credits${budget}; ${work}. The key may: ${key.scopes.join(', ')}.`, data };
  },
});
