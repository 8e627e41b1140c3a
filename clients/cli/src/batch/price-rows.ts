import type { RenderkitError } from 'renderkit';
import type { Session } from '../session.ts';
import type { Journal } from './journal.ts';
import type { Row } from './read-rows.ts';
import { type RowFiles, withoutFileNames } from './row-files.ts';
import { isOfTheRow } from './row-refusal.ts';

/** The price of a row, or the reason why there is none. */
export type Price = { credits: number } | { refusal: RenderkitError };

/**
 * Estimates the price of each row and returns the prices by row id. Rows that differ only in their words and files
 * share one estimate, so only one file of such a group is uploaded. An error of a single row is stored as its price and
 * reported when the row is made. `agree` in `clients/cli/src/commands/batch.ts` decides whether the total may be spent.
 *
 * @throws UsageError that names an unreadable file; RenderkitError that would affect every row
 */
export async function priceRows(
  { client, output }: Session,
  rows: readonly Row[],
  { journal, files }: { journal: Journal; files: RowFiles },
): Promise<Map<string, Price>> {
  const known = new Map<string, number>();
  const prices = new Map<string, Price>();
  const sentOf = ({ id }: Row) => {
    const { sent, done } = journal.stateOf(id) ?? {};
    // A failed row starts again.
    return done === undefined ? sent : undefined;
  };
  for (const row of rows) if (sentOf(row) === undefined) await files.check(row.request);
  for (const row of rows) {
    const sent = sentOf(row);
    const request = sent?.request ?? row.request;
    const group = await priceGroup(row, request);
    let credits = known.get(group);
    if (credits === undefined) {
      output.progress(`asking for prices, ${known.size} so far`);
      const kind = row.kind === 'edit' ? 'image_edit' : row.kind;
      try {
        const asked = { kind, ...(await files.resolve(request)) } as Parameters<typeof client.estimate>[0];
        ({ credits } = await client.estimate(asked));
        known.set(group, credits);
      } catch (error) {
        if (!isOfTheRow(error)) throw error;
        // A request that was sent may be accepted and paid. The service then returns it at any price.
        if (sent === undefined) prices.set(row.id, { refusal: error });
        else credits = sent.credits;
      }
    }
    if (credits !== undefined) prices.set(row.id, { credits });
  }
  return prices;
}

/** Returns the key of a price group. Rows that differ only in their words and files cost the same. */
async function priceGroup({ kind }: Row, request: Record<string, unknown>): Promise<string> {
  const { prompt: _words, metadata: _notes, ...rest } = await withoutFileNames(request);
  return JSON.stringify([kind, rest]);
}
