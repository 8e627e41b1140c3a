import type { Transaction } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { PgBoss } from 'pg-boss';

// The minimum of pg-boss. Another worker takes a killed worker's job within this time and a second.
const heartbeatSeconds = 10;
const heartbeatRefreshSeconds = 3;
const keepDoneSeconds = 60 * 60;
const stopWithinMs = 8_000;
const pollSeconds = 1;

/** The queue for jobs whose workers died on every try; pg-boss moves them there. */
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
  /** Jobs with a higher priority go first. */
  priority?: number;
  /** The job is not taken before this time. */
  startAfterSeconds?: number;
};

export type JobQueues = AsyncDisposable & {
  /** Creates the queue if it is missing. */
  define: (queue: string, settings: QueueSettings) => Promise<void>;
  /** Enqueues within the caller's transaction: the jobs exist if and only if the transaction commits. */
  enqueue: <Data extends object>(transaction: Transaction, queue: string, jobs: Job<Data>[]) => Promise<void>;
  /** Runs `handle` for each job, `atOnce` jobs in parallel. When `handle` throws, the job is retried. */
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
  /** The maximum number of connections. */
  poolSize: number;
};

/**
 * Opens job queues for workers on any machine, on pg-boss in a separate schema. Checks of uploads use these queues
 * (`studio/src/uploads/queue.ts` has their tries and time limit). Renders do not: they have a separate table
 * (`renders/start-claims.ts`).
 *
 * Callers wake up workers themselves. pg-boss's own NOTIFY runs inside the transaction of the insert, which makes all
 * commits of the cluster wait for each other.
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
        // Set when work() returns, long before the first job is done.
        let worker = '';
        worker = await boss.work<Data>(
          queue,
          { batchSize: 1, pollingIntervalSeconds: pollSeconds, heartbeatRefreshSeconds },
          async ([job]) => {
            try {
              if (job !== undefined) await handle(job.data, job.signal);
            } finally {
              // Takes the next job at once. Without this, pg-boss would wait for its next poll between two jobs.
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
    // Both take longer than the statement timeout allows. Autovacuum is enough for a table of this size.
    reindex: false,
    monitorVacuum: false,
  });
  boss.on('error', (error) => options.log.warn({ err: error }, 'the job queue reports an error'));
  await boss.start();
  return boss;
}
