import type { Database } from '@renderkit/server-kit/database.ts';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import { readQueueDepth } from './store.ts';

/** Adds what is read when somebody asks: the process, the pool of connections, the queue, the long polls. */
export function addProcessMetrics(registry: Registry, database: Database, openLongPolls: () => number): void {
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
  const polls = new Gauge({
    name: 'renderkit_open_long_polls',
    help: 'Requests of this process that wait for a generation to finish.',
    registers: [registry],
    collect: () => {
      polls.set(openLongPolls());
    },
  });
}
