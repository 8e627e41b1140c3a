import type { StudioUpload } from '@renderkit/contract/studio/schemas/upload.ts';
import type { UploadOutcome } from './record-outcomes.ts';

/** Why the generations that wait for an upload can never start. */
export type WaitersError =
  | 'moderation_blocked'
  | 'unprocessable'
  | 'tier_required'
  | 'forbidden'
  | 'storage_full'
  | 'upstream_unavailable';

/** An upload's end, and what it means for the generations that wait for it. */
export type UploadEnd = UploadOutcome & { waitersError: WaitersError };

const rejectedText = 'The file did not pass the checks.';
const overdueText = 'The checks did not end in time.';
const maxErrorCharacters = 500;

/** What the studio says of an upload, where that is its end. */
export function endOf(accountId: string, upload: StudioUpload): UploadEnd | undefined {
  if (upload.status === 'processing') return undefined;
  return {
    id: upload.token,
    accountId,
    status: upload.status,
    error: upload.status === 'rejected' ? oneLine(upload.error ?? '') || rejectedText : null,
    url: upload.url,
    waitersError: 'moderation_blocked',
  };
}

/** Its checks took too long. */
export function overdueEnd(accountId: string, id: string): UploadEnd {
  return { id, accountId, status: 'rejected', error: overdueText, waitersError: 'upstream_unavailable' };
}

/** It could not be fetched, or the studio does not take what was. */
export function unusableEnd(accountId: string, id: string, waitersError: WaitersError): UploadEnd {
  return { id, accountId, status: 'rejected', error: rejectedText, waitersError };
}

/** The studio's sentence, fit to be shown. */
function oneLine(text: string): string {
  return text
    .replace(/[\p{C}\s]+/gu, ' ')
    .slice(0, maxErrorCharacters)
    .toWellFormed()
    .trim();
}
