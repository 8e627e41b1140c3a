import type { Result } from './benchmark.ts';
import { describeCommit, describeMachine } from './machine.ts';

/** Returns the text of RESULTS.md. `rounds.ts` computes the ratios and spreads; each benchmark's file has its goal. */
export function resultsText(results: readonly Result[], options: { rounds: number; date: Date }): string {
  const lines = [
    '# Measured',
    '',
    '`npm run bench` wrote this. A ratio is the median over the rounds, each of which measures ours and the baseline one',
    'after the other; the spread is the smallest and the largest of them. Where there is no baseline, the figure stands',
    'against a bound. A CPU ratio is processor time per request, the service process against the baseline process; what studio and',
    'PostgreSQL took stands beside it.',
    '',
    `- machine: ${describeMachine()}`,
    `- date: ${options.date.toISOString().slice(0, 10)}`,
    `- commit: ${describeCommit() ?? 'unknown'}`,
    `- rounds: ${options.rounds}`,
    '',
    table(['name', 'ratio', 'CPU ratio', 'ours', 'baseline', 'spread'], results, (result) => [
      result.name,
      result.ratio,
      result.cpuRatio,
      result.ours,
      result.baseline,
      result.spread,
    ]),
    '',
    'What each is to reach:',
    '',
    table(['name', 'goal', 'reached'], results, (result) => [
      result.name,
      result.goal,
      result.met ? 'yes' : 'no',
    ]),
    '',
  ];
  return lines.join('\n');
}

function table(
  head: readonly string[],
  results: readonly Result[],
  cells: (result: Result) => string[],
): string {
  const rows = [head, head.map(() => '---'), ...results.map(cells)];
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}
