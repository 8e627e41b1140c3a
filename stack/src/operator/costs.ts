import { listProviderCosts, type ProviderCost } from '@renderkit/studio/backends/cost-queries.ts';
import { command, type Command } from './command.ts';
import { wholeNumber } from './option.ts';
import { tableLines } from './table-lines.ts';

const defaultDays = 30;

/** `studio/sql/functions/settle_cost.sql` books the costs. */
export const costsCommands: Command[] = [
  command({
    words: 'costs',
    about: 'What paid backends cost by day (UTC), beside what users paid for what they made.',
    options: { days: wholeNumber({ min: 1, max: 3_660 }) },
    run: async ({ open }, { days = defaultDays }) => {
      const costs = await listProviderCosts((await open()).studio, days);
      return { data: costs, lines: costLines(costs) };
    },
  }),
];

function costLines(costs: readonly ProviderCost[]): string[] {
  if (costs.length === 0) return ['No paid backend was used.'];
  const rows = costs.map(
    ({ day, backend, currency, spent, reserved, jobs, credits, credits_worth: worth }) => [
      day,
      backend,
      String(jobs),
      `${spent} ${currency}`,
      `${reserved} ${currency}`,
      String(credits),
      worth === null ? '' : `${worth} ${currency}`,
    ],
  );
  return tableLines([['DAY', 'BACKEND', 'JOBS', 'SPENT', 'SET ASIDE', 'CREDITS PAID', 'WORTH'], ...rows]);
}
