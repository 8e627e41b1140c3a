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

/** @throws ApiProblem `not_found`, or `conflict` while a generation that has not ended names it */
export type DeleteUpload = (upload: { id: string; accountId: string }) => Promise<void>;

/** Milliseconds that a client waits for its bytes to be given back; what takes longer is left to reconcile.ts. */
const studioPatienceMs = 3_000;
/** Other ids name no upload, and the database is not asked. */
export const uploadIdShape = /^upl_[0-9a-z]{26}$/;

/**
 * Makes the use case behind `DELETE /v1/uploads/{id}`. One transaction takes the upload out of sight; from then on its file is
 * removed at the studio, now or by reconcile.ts, however often a process dies on the way.
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

/** The same whether it never was, is gone, or is another's. */
export function noSuchUpload(): ApiProblem {
  return new ApiProblem('not_found', { detail: 'There is no such upload.' });
}
