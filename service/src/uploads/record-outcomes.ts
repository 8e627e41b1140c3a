import type { StudioUpload } from '@renderkit/contract/studio/schemas/upload.ts';
import type { Queryable } from '@renderkit/server-kit/db/database.ts';
import { isoTime } from '../iso-time.ts';
import { oneLine } from '../studio-client/one-line.ts';
import { composeEvent } from '../webhooks/events/compose-event.ts';
import { writeEvent } from '../webhooks/events/queries.ts';
import { endUploads, type SettledRow, type UploadOutcome } from './outcome-store.ts';
import { presentUpload } from './present.ts';
import type { Import } from './store.ts';

/**
 * Why the generations that wait for an upload can never start. `waitedForUpload` in
 * `service/src/generations/settle/failure-sentences.ts` has the sentences.
 */
export type WaitersError =
  | 'moderation_blocked'
  | 'unprocessable'
  | 'tier_required'
  | 'forbidden'
  | 'storage_full'
  | 'upstream_unavailable';

/** An upload's end, and what it means for the generations that wait for it. */
export type UploadEnd = UploadOutcome & { waitersError: WaitersError };

/**
 * Ends uploads, and unblocks or fails the generations that wait for them, in one transaction. Uploads that have already
 * ended stay unchanged. Implemented by `service/src/generations/settle/settle-uploads.ts`.
 */
export type SettleUploads = (ends: readonly UploadEnd[]) => Promise<void>;

const rejectedText = 'The file did not pass the checks.';
const overdueText = 'The checks did not end in time.';
const maxErrorCharacters = 500;

/** The uploads that were ended, and the accounts with deliveries that are due because of them. */
export type RecordedOutcomes = { ended: SettledRow[]; due: string[] };

/**
 * Ends uploads that have not ended, and writes an event for each upload that is not hidden. Uses the caller's
 * transaction, which must have locked the accounts. The studio's first outcome is kept: later ones change nothing.
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

/** Returns the end of an upload that the studio reports; undefined while the upload is in processing. */
export function endOf(accountId: string, upload: StudioUpload): UploadEnd | undefined {
  if (upload.status === 'processing') return undefined;
  return {
    id: upload.token,
    accountId,
    status: upload.status,
    error:
      upload.status === 'rejected' ? oneLine(upload.error ?? '', maxErrorCharacters) || rejectedText : null,
    url: upload.url,
    waitersError: 'moderation_blocked',
  };
}

/** Returns the end of an upload whose checks took too long. */
export function overdueEnd(accountId: string, id: string): UploadEnd {
  return { id, accountId, status: 'rejected', error: overdueText, waitersError: 'upstream_unavailable' };
}

/** Returns the end of an upload that the holder of this claim could not fetch, or that the studio refuses. */
export function unusableEnd(
  { id, account_id: accountId, tries }: Pick<Import, 'id' | 'account_id' | 'tries'>,
  owner: string,
  waitersError: WaitersError,
): UploadEnd {
  const claim = { owner, tries };
  return { id, accountId, status: 'rejected', error: rejectedText, claim, waitersError };
}
