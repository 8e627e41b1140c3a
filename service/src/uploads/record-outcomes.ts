import type { Queryable } from '@renderkit/server-kit/db/database.ts';
import { isoTime } from '../iso-time.ts';
import { composeEvent } from '../webhooks/events/compose-event.ts';
import { writeEvent } from '../webhooks/events/write-event.ts';
import { endUploads, type SettledRow, type UploadOutcome } from './outcome-store.ts';
import { presentUpload } from './present.ts';

export type { UploadOutcome } from './outcome-store.ts';

/** What was ended, and which accounts have deliveries due by it. */
export type RecordedOutcomes = { ended: SettledRow[]; due: string[] };

/**
 * Ends uploads that are still on their way and writes the event of each that people see, in the transaction of the
 * caller, who has locked their accounts. The studio's first word holds: later ones change nothing.
 */
export async function recordOutcomes(
  transaction: Queryable,
  outcomes: readonly UploadOutcome[],
): Promise<RecordedOutcomes> {
  const ended = await endUploads(transaction, firstOfEach(outcomes));
  const due = new Set<string>();
  for (const row of ended) {
    if (row.hidden) continue;
    const at = isoTime(row.at);
    const type = row.status === 'ready' ? 'upload.ready' : 'upload.rejected';
    const event = composeEvent(type, JSON.stringify(presentUpload(row)), at);
    const about = { accountId: row.account_id, subjectId: row.id, at };
    if ((await writeEvent(transaction, event, about)) > 0) due.add(row.account_id);
  }
  return { ended, due: [...due] };
}

function firstOfEach(outcomes: readonly UploadOutcome[]): UploadOutcome[] {
  const first = new Map<string, UploadOutcome>();
  for (const outcome of outcomes) if (!first.has(outcome.id)) first.set(outcome.id, outcome);
  return [...first.values()];
}
