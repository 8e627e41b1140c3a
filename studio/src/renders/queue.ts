import type { Lane } from '@renderkit/contract/studio/kinds.ts';
import { lanes } from '@renderkit/contract/studio/kinds.ts';
import type { Transaction } from '@renderkit/server-kit/db/database.ts';
import type { JobQueues } from '../jobs/job-queues.ts';

/** Tries that a render is given before it fails. */
export const maxAttempts = 3;

const lostQueue = 'renders-lost';
const queueOf = (lane: Lane) => `renders-${lane}`;

// The longest that one try may take, a slow video included.
const expireSeconds = { image: 10 * 60, edit: 10 * 60, video: 60 * 60 } as const satisfies Record<
  Lane,
  number
>;

type RenderJob = { render: string };

/** `priority`: higher goes first. `startAfterSeconds`: not taken before. */
export type NewRenderJob = { id: string; render: string; priority: number; startAfterSeconds?: number };

export type RenderQueue = {
  enqueue: (transaction: Transaction, lane: Lane, jobs: NewRenderJob[]) => Promise<void>;
  /** Runs `handle` for each job of a lane, `atOnce` side by side; throwing gives the job its next try. */
  work: (
    lane: Lane,
    atOnce: number,
    handle: (render: string, signal: AbortSignal) => Promise<void>,
  ) => Promise<void>;
  /** Runs `handle` for each render whose job was lost with its workers. */
  workLost: (handle: (render: string) => Promise<void>) => Promise<void>;
};

/** The render jobs: one queue for each of images, edits and videos, so that a slow video blocks no image. */
export async function openRenderQueue(queues: JobQueues): Promise<RenderQueue> {
  for (const lane of lanes)
    await queues.define(queueOf(lane), {
      retries: maxAttempts - 1,
      expireSeconds: expireSeconds[lane],
      lost: lostQueue,
    });
  return {
    enqueue: (transaction, lane, jobs) =>
      queues.enqueue<RenderJob>(
        transaction,
        queueOf(lane),
        jobs.map(({ render, startAfterSeconds = 0, ...job }) => ({
          ...job,
          data: { render },
          ...(startAfterSeconds > 0 && { startAfterSeconds }),
        })),
      ),
    work: (lane, atOnce, handle) =>
      queues.work<RenderJob>(queueOf(lane), atOnce, ({ render }, signal) => handle(render, signal)),
    workLost: (handle) => queues.work<RenderJob>(lostQueue, 1, ({ render }) => handle(render)),
  };
}
