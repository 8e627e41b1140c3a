import type { Transaction } from '@renderkit/server-kit/db/database.ts';
import type { JobQueues } from '../jobs/job-queues.ts';

const queue = 'uploads';
// A file whose check fails every time is rejected in the end by `rejectOverdueUploads` in `check-upload.ts`.
const retries = 4;
// Decoding has a limit of its own, far below.
const expireSeconds = 5 * 60;

type UploadJob = { upload: string };

export type UploadQueue = {
  enqueue: (
    transaction: Transaction,
    job: { id: string; upload: string; startAfterSeconds: number },
  ) => Promise<void>;
  /** Runs `handle` for each upload to check, `atOnce` side by side; throwing gives it its next try. */
  work: (atOnce: number, handle: (upload: string, signal: AbortSignal) => Promise<void>) => Promise<void>;
};

/** The checks of uploads: a queue of their own, so that no render keeps a file waiting. */
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
