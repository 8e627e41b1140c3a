import { statfs } from 'node:fs/promises';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import { type LoopProgress, readLoopProgress } from '../work/loop.ts';
import { within } from '../work/within.ts';

/** Metrics collectors stop waiting after a short time, and most metrics are available without the database. */
export const databasePatienceMs = 2_000;
/**
 * Detects stalls of a tenth of a second. A shorter interval would cost an idle process more than all its other work.
 */
const eventLoopLookMs = 50;

/** Creates the metrics that every part reports: its process, its database connections, its background loops. */
export function createPartRegistry(database: Database): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopLookMs });
  const pool = addGauge(registry, {
    name: 'renderkit_database_connections',
    help: 'Connections of the pool, and requests that wait for one.',
    labelNames: ['state'],
    collect: () => {
      const { totalCount, idleCount, waitingCount } = database.pool;
      pool.set({ state: 'busy' }, totalCount - idleCount);
      pool.set({ state: 'idle' }, idleCount);
      pool.set({ state: 'waited_for' }, waitingCount);
    },
  });
  const up = addGauge(registry, {
    name: 'renderkit_database_up',
    help: 'Whether the database answers this process, 1 or 0.',
    collect: async () => {
      const answer = await within(
        database.rows('select 1').catch(() => undefined),
        databasePatienceMs,
      );
      up.set(answer === undefined ? 0 : 1);
    },
  });
  addLoopMetrics(registry);
  return registry;
}

export type GaugeOptions = {
  /** Includes the prefix `renderkit_` and the unit as suffix (prometheus.io/docs/practices/naming). */
  name: string;
  help: string;
  labelNames?: string[];
  /** Called for each collection; sets the current value. */
  collect: () => void | Promise<void>;
};

/** Adds a gauge whose value is read on each collection. */
export function addGauge(registry: Registry, { labelNames = [], ...options }: GaugeOptions): Gauge {
  return new Gauge({ ...options, labelNames, registers: [registry] });
}

/**
 * Adds a gauge with values from the database, one for each label. Labels that the query no longer returns disappear.
 * There are no values when the database does not answer in time.
 */
export function addCounts(
  registry: Registry,
  options: Omit<GaugeOptions, 'collect' | 'labelNames'> & { label: string },
  read: () => Promise<Record<string, number>>,
): void {
  const { label, ...named } = options;
  const gauge = addGauge(registry, {
    ...named,
    labelNames: [label],
    collect: async () => {
      const counts = await within(
        read().catch(() => undefined),
        databasePatienceMs,
      );
      gauge.reset();
      for (const [name, count] of Object.entries(counts ?? {})) gauge.set({ [label]: name }, count);
    },
  });
}

/** Adds the free space on the disk where a part stores its files. */
export function addDataDirectoryMetric(registry: Registry, dataDirectory: string): void {
  addNumber(
    registry,
    {
      name: 'renderkit_data_directory_free_bytes',
      help: 'Room on the disk of the data directory for a process that is not the superuser.',
    },
    async () => {
      const { bavail, bsize } = await statfs(dataDirectory);
      return bavail * bsize;
    },
  );
}

/**
 * Adds a gauge whose value comes from outside this process, mostly from the database. Not reported when the answer does
 * not arrive in time.
 */
export function addNumber(
  registry: Registry,
  options: Omit<GaugeOptions, 'collect' | 'labelNames'>,
  read: () => Promise<number>,
): void {
  const gauge = addGauge(registry, {
    ...options,
    collect: async () => {
      const value = await within(
        read().catch(() => undefined),
        databasePatienceMs,
      );
      if (value === undefined) gauge.remove();
      else gauge.set(value);
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
    const gauge = addGauge(registry, {
      name,
      help,
      labelNames: ['loop'],
      collect: () => {
        for (const loop of readLoopProgress()) gauge.set({ loop: loop.name }, read(loop));
      },
    });
  }
}
