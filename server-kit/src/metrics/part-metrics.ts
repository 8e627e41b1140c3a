import { statfs } from 'node:fs/promises';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import { type LoopProgress, readLoopProgress } from '../work/loop.ts';
import { within } from '../work/within.ts';

/** Whoever collects metrics gives up before long, and most are known without the database. */
export const databasePatienceMs = 2_000;
/** Shows stalls of a tenth of a second; looking more often costs an idle process more than all else it does. */
const eventLoopLookMs = 50;

/** What every part tells of itself when somebody asks: its process, its way to the database, its background loops. */
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
  /** With `renderkit_` before it, and the unit after it (prometheus.io/docs/practices/naming). */
  name: string;
  help: string;
  labelNames?: string[];
  /** Called for each collection; sets what is so now. */
  collect: () => void | Promise<void>;
};

/** A value that is read when somebody asks. */
export function addGauge(registry: Registry, { labelNames = [], ...options }: GaugeOptions): Gauge {
  return new Gauge({ ...options, labelNames, registers: [registry] });
}

/**
 * Values that the database knows, one for each label: those that are no longer read are no longer told, and none is where the
 * database does not answer in time.
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

/** Room on the disk where a part keeps its files. */
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

/** A number that somebody else knows, the database mostly; not told where it does not answer in time. */
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
