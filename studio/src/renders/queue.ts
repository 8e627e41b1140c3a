import type { Lane } from '@renderkit/contract/studio/schemas.ts';
import { lanes } from '@renderkit/contract/studio/schemas.ts';
import type { Transaction } from '@renderkit/server-kit/database.ts';
import type { Logger } from '@renderkit/server-kit/logger.ts';
import { PgBoss } from 'pg-boss';

/** Tries that a render is given before it fails. */
export const mostAttempts = 3;

/** Where pg-boss puts jobs whose workers died on every try. */
const lostQueue = 'renders-lost';
const queueOf = (lane: Lane) => `renders-${lane}`;

// pg-boss's least. A killed worker's job is taken again within this and a second.
const heartbeatSeconds = 10;
const heartbeatRefreshSeconds = 3;
// The longest that one try may take, a slow video included.
const expireSeconds = { image: 10 * 60, edit: 10 * 60, video: 60 * 60 } as const satisfies Record<
  Lane,
  number
>;
const keepDoneSeconds = 60 * 60;
const stopWithinMs = 8_000;

type Job = { render: string };

export type RenderQueue = AsyncDisposable & {
  /** Enqueues within the caller's transaction: the job exists exactly when the render does. */
  enqueue: (
    transaction: Transaction,
    lane: Lane,
    jobs: { id: string; render: string; priority: number }[],
  ) => Promise<void>;
  /** Runs `handle` for each job of a lane, `atOnce` side by side; throwing gives the job its next try. */
  work: (
    lane: Lane,
    atOnce: number,
    handle: (render: string, signal: AbortSignal) => Promise<void>,
  ) => Promise<void>;
  /** Runs `handle` for each render whose job was lost with its workers. */
  workLost: (handle: (render: string) => Promise<void>) => Promise<void>;
  /** Looks for jobs now instead of at the next poll. */
  wake: () => void;
};

export type QueueOptions = {
  databaseUrl: string;
  log: Logger;
  applicationName: string;
  /** Connections at most. */
  poolSize: number;
};

/**
 * The render jobs, on pg-boss in a schema of its own, a queue per lane so that a slow video blocks no picture.
 * Waking up is the callers' matter: pg-boss's own NOTIFY runs inside the transaction of the insert, which makes
 * all commits of the cluster queue behind each other.
 */
export async function openRenderQueue(options: QueueOptions): Promise<RenderQueue> {
  const boss = await startBoss(options);
  const workers: string[] = [];
  return {
    enqueue: async (transaction, lane, jobs) => {
      const db = {
        executeSql: (text: string, values?: unknown[]) => transaction.query(text, values),
      };
      await boss.insert(
        queueOf(lane),
        jobs.map(({ id, render, priority }) => ({ id, priority, data: { render } satisfies Job })),
        { db },
      );
    },
    work: async (lane, atOnce, handle) => {
      for (let i = 0; i < atOnce; i++) {
        // Known only after work() returns, long before the first job is done.
        let worker = '';
        worker = await boss.work<Job>(
          queueOf(lane),
          { batchSize: 1, pollingIntervalSeconds: 1, heartbeatRefreshSeconds },
          async ([job]) => {
            try {
              if (job !== undefined) await handle(job.data.render, job.signal);
            } finally {
              // Straight on to the next job: without this pg-boss would wait out its poll between any two.
              boss.notifyWorker(worker);
            }
          },
        );
        workers.push(worker);
      }
    },
    workLost: async (handle) => {
      await boss.work<Job>(lostQueue, { batchSize: 1, pollingIntervalSeconds: 1 }, async ([job]) => {
        if (job !== undefined) await handle(job.data.render);
      });
    },
    wake: () => {
      for (const worker of workers) boss.notifyWorker(worker);
    },
    [Symbol.asyncDispose]: async () => {
      await boss.stop({ graceful: true, timeout: stopWithinMs });
    },
  };
}

/** Starts pg-boss with its queues, which it makes where they are missing. */
async function startBoss(options: QueueOptions): Promise<PgBoss> {
  const boss = new PgBoss({
    connectionString: options.databaseUrl,
    application_name: options.applicationName,
    max: options.poolSize,
    options: '-c timezone=UTC -c statement_timeout=30000 -c idle_in_transaction_session_timeout=30000',
    schema: 'pgboss',
    schedule: false,
    supervise: true,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
    // Both take longer than our statements may; autovacuum serves a table of this size.
    reindex: false,
    monitorVacuum: false,
  });
  boss.on('error', (error) => options.log.warn({ err: error }, 'the job queue reports an error'));
  await boss.start();
  await boss.createQueue(lostQueue, { deleteAfterSeconds: keepDoneSeconds, retryLimit: 20, retryDelay: 1 });
  for (const lane of lanes)
    await boss.createQueue(queueOf(lane), {
      retryLimit: mostAttempts - 1,
      expireInSeconds: expireSeconds[lane],
      heartbeatSeconds,
      deleteAfterSeconds: keepDoneSeconds,
      deadLetter: lostQueue,
    });
  return boss;
}
