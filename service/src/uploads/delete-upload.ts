import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { Leases } from '@renderkit/server-kit/work/leases.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import type { CrashPoint } from '../test-hooks.ts';
import { markDeleted } from './deletion-store.ts';
import { removeUpload } from './store.ts';

export type DeleteUploadOptions = {
  database: Database;
  studioClient: Pick<StudioClient, 'call'>;
  leases: Leases;
  log: Logger;
  crashPoint?: CrashPoint | undefined;
};

/** Deletes an upload. @throws ApiProblem `not_found`; `conflict` while an unfinished generation names the upload */
export type DeleteUpload = (upload: { id: string; accountId: string }) => Promise<void>;

/** Milliseconds that a client waits for the studio to delete the file. If this takes longer, reconcile.ts does it. */
const studioPatienceMs = 3_000;
/** Ids of another form are no uploads, so the database is not asked about them. */
export const uploadIdShape = /^upl_[0-9a-z]{26}$/;

/**
 * Returns the use case of `DELETE /v1/uploads/{id}`. One transaction hides the upload. After that its file is always
 * removed at the studio, now or by reconcile.ts, even if processes die meanwhile.
 */
export function createDeleteUpload(options: DeleteUploadOptions): DeleteUpload {
  const { database, studioClient, leases, log } = options;
  return async ({ id, accountId }) => {
    const { owner, leaseMs } = leases;
    const deletion = uploadIdShape.test(id)
      ? await markDeleted(database, { id, accountId, owner, leaseMs })
      : ({ outcome: 'unknown' } as const);
    if (deletion.outcome === 'unknown') throw noSuchUpload();
    if (deletion.outcome === 'named')
      throw new ApiProblem('conflict', {
        detail: `The generation ${deletion.generationId} names this upload and has not finished: cancel it or wait for its end.`,
      });
    await options.crashPoint?.('upload-deleted');
    try {
      const signal = AbortSignal.timeout(studioPatienceMs);
      await studioClient.call('deleteUpload', { accountId, params: { token: id }, signal });
      await removeUpload(database, { id, owner });
    } catch (error) {
      log.info({ uploadId: id, err: error }, 'the file of a deleted upload is left to be removed later');
    }
  };
}

/** Makes the same problem for an upload that never existed, is deleted, or belongs to another account. */
export function noSuchUpload(): ApiProblem {
  return new ApiProblem('not_found', { detail: 'There is no such upload.' });
}
