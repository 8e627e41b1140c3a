import type { Transaction } from '@renderkit/server-kit/db/database.ts';
import type { JobQueues } from '../jobs/job-queues.ts';

const queue = 'uploads';
// `rejectOverdueUploads` in `check-upload.ts` rejects a file whose check fails every time.
const retries = 4;
// Decoding has a separate, much lower time limit.
const expireSeconds = 5 * 60;

type UploadJob = { upload: string };

export type UploadQueue = {
  enqueue: (
    transaction: Transaction,
    job: { id: string; upload: string; startAfterSeconds: number },
  ) => Promise<void>;
  /** Runs `handle` for each upload to check, `atOnce` in parallel. When `handle` throws, the check is retried. */
  work: (atOnce: number, handle: (upload: string, signal: AbortSignal) => Promise<void>) => Promise<void>;
};

/** Opens the queue for checks of uploads, separate from renders so that no render delays a file. */
export async function openUploadQueue(queues: JobQueues): Promise<UploadQueue> {
  await queues.define(queue, { retries, expireSeconds });
  return {
    enqueue: (transaction, { id, upload, startAfterSeconds }) =>
      queues.enqueue<UploadJob>(transaction, queue, [
        { id, data: { upload }, ...(startAfterSeconds > 0 && { startAfterSeconds }) },
      ]),
    work: (atOnce, handle) =>
      queues.work<UploadJob>(queue, atOnce, ({ upload }, signal) => handle(upload, signal)),
  };
}
