import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type LoopProgress, readLoopProgress } from '@renderkit/server-kit/work/loop.ts';
import { Histogram, type Registry, collectDefaultMetrics, Gauge } from 'prom-client';
import { countUploads } from '../uploads/queries.ts';
import { readQueueDepth } from './store.ts';

/** Adds what is read when somebody asks: the process, the pool of connections, the queue, long polls and streams. */
export function addProcessMetrics(
  registry: Registry,
  database: Database,
  open: { longPolls: () => number; streams: () => number },
): void {
  collectDefaultMetrics({ register: registry });
  const pool = new Gauge({
    name: 'renderkit_database_connections',
    help: 'Connections of the pool, and requests that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    collect: () => {
      const { totalCount, idleCount, waitingCount } = database.pool;
      pool.set({ state: 'busy' }, totalCount - idleCount);
      pool.set({ state: 'idle' }, idleCount);
      pool.set({ state: 'waited_for' }, waitingCount);
    },
  });
  const queue = new Gauge({
    name: 'renderkit_queued_generations',
    help: 'Generations that wait, over all accounts and processes.',
    labelNames: ['lane'],
    registers: [registry],
    collect: async () => {
      const depth = await readQueueDepth(database).catch(() => undefined);
      for (const [lane, count] of Object.entries(depth ?? {})) queue.set({ lane }, count);
    },
  });
  addLoopMetrics(registry);
  const uploads = new Gauge({
    name: 'renderkit_uploads',
    help: 'Uploads under way, over all accounts and processes; left: files that should have been removed by now.',
    labelNames: ['state'],
    registers: [registry],
    collect: async () => {
      const counts = await countUploads(database).catch(() => undefined);
      for (const [state, count] of Object.entries(counts ?? {})) uploads.set({ state }, count);
    },
  });
  const polls = new Gauge({
    name: 'renderkit_open_long_polls',
    help: 'Requests of this process that wait for a generation to finish.',
    registers: [registry],
    collect: () => {
      polls.set(open.longPolls());
    },
  });
  const streams = new Gauge({
    name: 'renderkit_open_streams',
    help: 'Streams of events that clients of this process have open.',
    registers: [registry],
    collect: () => {
      streams.set(open.streams());
    },
  });
}

const loopGauges = [
  {
    name: 'renderkit_loop_rounds',
    help: 'Rounds of a background loop since the process started.',
    read: (loop: LoopProgress) => loop.rounds,
  },
  {
    name: 'renderkit_loop_failures',
    help: 'Rounds of a background loop that failed since its last good one.',
    read: (loop: LoopProgress) => loop.failures,
  },
  {
    name: 'renderkit_loop_seconds_since_good_round',
    help: 'Seconds since a background loop last ended a good round: what grows without end is stuck.',
    read: (loop: LoopProgress) => loop.secondsSinceGood,
  },
];

function addLoopMetrics(registry: Registry): void {
  for (const { name, help, read } of loopGauges) {
    const gauge = new Gauge({
      name,
      help,
      labelNames: ['loop'],
      registers: [registry],
      collect: () => {
        for (const loop of readLoopProgress()) gauge.set({ loop: loop.name }, read(loop));
      },
    });
  }
}

export type RequestMetrics = {
  /** `milliseconds` from the first look at the request to its answer. */
  observe: (operationId: string | undefined, status: number, milliseconds: number) => void;
};

const bucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

type Child = { observe: (seconds: number) => void };

/** Counts and times answers by operation and status. */
export function createRequestMetrics(registry: Registry): RequestMetrics {
  const histogram = new Histogram({
    name: 'renderkit_request_seconds',
    help: 'Time to answer requests of /v1 and of the console, long polls included.',
    labelNames: ['operation', 'status'],
    buckets: bucketsSeconds,
    registers: [registry],
  });
  // Finding a child by its labels costs more than counting.
  const children = new Map<string, Child[]>();
  return {
    observe: (operationId = 'none', status, milliseconds) => {
      let byStatus = children.get(operationId);
      if (byStatus === undefined) children.set(operationId, (byStatus = []));
      const child = (byStatus[status] ??= histogram.labels(operationId, String(status)));
      child.observe(milliseconds / 1_000);
    },
  };
}
