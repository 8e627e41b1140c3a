import type { KeyObject } from 'node:crypto';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { Claim } from '../backends/claim-queries.ts';
import type { BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';
import { mediaFolder } from '../storage/media-folder.ts';
import type { Ended } from './end-submission.ts';
import { hasEnded } from './submission-store.ts';

/**
 * Finishes a submission after its end was committed: announces the end to the account's readers and removes files that
 * no row names. If it fails, `studio/src/storage/reconcile-media.ts` removes these files later.
 */
export async function clearUp(
  claim: Claim,
  ended: Ended,
  {
    database,
    storage,
    mediaKey,
    announce,
    log,
  }: {
    database: Database;
    storage: BlobStorage;
    mediaKey: KeyObject;
    announce: (account: string) => void;
    log: Logger;
  },
): Promise<void> {
  const { token, render_id: render, request } = claim;
  const id = { request_id: request?.request_id, token, render };
  if (ended.next === 'job') return;
  if (ended.next === 'finished') {
    log.info({ ...id, outputs: ended.kept.size }, 'a render has ended');
    announce(claim.account_id);
  }
  try {
    // `fenced` may also mean that the end was committed but its confirmation was lost: then rows name the files.
    if (ended.next === 'fenced' && (await hasEnded(database, claim))) return;
    const kept = ended.next === 'finished' ? ended.kept : new Set();
    const firstAttempt = ended.next === 'finished' ? 1 : claim.attempt;
    const firstOutput = ended.next === 'finished' ? 0 : claim.first_output;
    for (let attempt = firstAttempt; attempt <= claim.attempt; attempt++)
      for (let position = firstOutput; position < claim.expected_outputs; position++) {
        const folder = mediaFolder(mediaKey, claim.render_id, attempt, position);
        if (!kept.has(folder)) await storage.removeFolder(folder);
      }
  } catch (error) {
    log.warn({ err: error, ...id }, 'files of an unsuccessful try could not be removed');
  }
}
