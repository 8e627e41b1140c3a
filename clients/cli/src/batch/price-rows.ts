import type { RenderkitError } from 'renderkit';
import type { Session } from '../session.ts';
import type { Journal } from './journal.ts';
import type { Row } from './read-rows.ts';
import { type RowFiles, withoutFileNames } from './row-files.ts';
import { isOfTheRow } from './row-refusal.ts';

/** What a row costs, or why that cannot be told. */
export type Price = { credits: number } | { refusal: RenderkitError };

/**
 * What each row costs, by its id. Rows that differ in their words and in their files alone are asked about once, and one file
 * of theirs is sent for it. What is wrong with a row is told when it is made: the others need not wait for that.
 *
 * @throws UsageError that names a file which cannot be read; RenderkitError that would meet every row
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
    // What has failed is begun anew.
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
        // What was sent may be there and paid: then it is answered whatever its price.
        if (sent === undefined) prices.set(row.id, { refusal: error });
        else credits = sent.credits;
      }
    }
    if (credits !== undefined) prices.set(row.id, { credits });
  }
  return prices;
}

/** Rows that differ in their words and files alone cost the same. */
async function priceGroup({ kind }: Row, request: Record<string, unknown>): Promise<string> {
  const { prompt: _words, metadata: _notes, ...rest } = await withoutFileNames(request);
  return JSON.stringify([kind, rest]);
}
