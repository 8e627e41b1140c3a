import type { Transaction } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { PgBoss } from 'pg-boss';

// pg-boss's least. A killed worker's job is taken again within this and a second.
const heartbeatSeconds = 10;
const heartbeatRefreshSeconds = 3;
const keepDoneSeconds = 60 * 60;
const stopWithinMs = 8_000;
const pollSeconds = 1;

/** Where pg-boss puts jobs of a queue whose workers died on every try. */
type LostQueue = `${string}-lost`;

export type QueueSettings = {
  /** Tries after the first. */
  retries: number;
  /** The longest that one try may take. */
  expireSeconds: number;
  lost?: LostQueue;
};

export type Job<Data extends object> = {
  /** A UUID. */
  id: string;
  data: Data;
  /** Higher goes first. */
  priority?: number;
  /** Not taken before. */
  startAfterSeconds?: number;
};

export type JobQueues = AsyncDisposable & {
  /** Makes the queue where it is missing. */
  define: (queue: string, settings: QueueSettings) => Promise<void>;
  /** Enqueues within the caller's transaction: the job exists exactly when what it is about does. */
  enqueue: <Data extends object>(transaction: Transaction, queue: string, jobs: Job<Data>[]) => Promise<void>;
  /** Runs `handle` for each job, `atOnce` side by side; throwing gives the job its next try. */
  work: <Data extends object>(
    queue: string,
    atOnce: number,
    handle: (data: Data, signal: AbortSignal) => Promise<void>,
  ) => Promise<void>;
  /** Looks for jobs now instead of at the next poll. */
  wake: () => void;
};

export type JobQueuesOptions = {
  databaseUrl: string;
  log: Logger;
  applicationName: string;
  /** Connections at most. */
  poolSize: number;
};

/**
 * Queues of jobs for workers on any machine, on pg-boss in a schema of its own. Waking up is the callers' matter:
 * Checks of uploads wait here. Renders do not: theirs is a table of their own (`renders/start-claims.ts`).
 *
 * pg-boss's own NOTIFY runs inside the transaction of the insert, which makes all commits of the cluster queue behind
 * each other.
 */
export async function openJobQueues(options: JobQueuesOptions): Promise<JobQueues> {
  const boss = await startBoss(options);
  const workers: string[] = [];
  return {
    define: (queue, settings) => define(boss, queue, settings),
    enqueue: async (transaction, queue, jobs) => {
      const db = {
        executeSql: async (text: string, values?: unknown[]) => ({
          rows: await transaction.rows(text, values),
        }),
      };
      await boss.insert(
        queue,
        jobs.map(({ id, data, priority, startAfterSeconds }) => ({
          id,
          data,
          ...(priority !== undefined && { priority }),
          ...(startAfterSeconds !== undefined && { startAfter: startAfterSeconds }),
        })),
        { db },
      );
    },
    work: async <Data extends object>(
      queue: string,
      atOnce: number,
      handle: (data: Data, signal: AbortSignal) => Promise<void>,
    ) => {
      for (let i = 0; i < atOnce; i++) {
        // Known only after work() returns, long before the first job is done.
        let worker = '';
        worker = await boss.work<Data>(
          queue,
          { batchSize: 1, pollingIntervalSeconds: pollSeconds, heartbeatRefreshSeconds },
          async ([job]) => {
            try {
              if (job !== undefined) await handle(job.data, job.signal);
            } finally {
              // Straight on to the next job: without this pg-boss would wait out its poll between any two.
              boss.notifyWorker(worker);
            }
          },
        );
        workers.push(worker);
      }
    },
    wake: () => {
      for (const worker of workers) boss.notifyWorker(worker);
    },
    [Symbol.asyncDispose]: async () => {
      await boss.stop({ graceful: true, timeout: stopWithinMs });
    },
  };
}

async function define(boss: PgBoss, queue: string, settings: QueueSettings): Promise<void> {
  const { retries, expireSeconds, lost } = settings;
  if (lost !== undefined)
    await boss.createQueue(lost, { deleteAfterSeconds: keepDoneSeconds, retryLimit: 20, retryDelay: 1 });
  await boss.createQueue(queue, {
    retryLimit: retries,
    expireInSeconds: expireSeconds,
    heartbeatSeconds,
    deleteAfterSeconds: keepDoneSeconds,
    ...(lost !== undefined && { deadLetter: lost }),
  });
}

async function startBoss(options: JobQueuesOptions): Promise<PgBoss> {
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
  return boss;
}
