import type { Database } from '@renderkit/server-kit/db/database.ts';
import {
  addCounts,
  addDataDirectoryMetric,
  addGauge,
  addNumber,
  databasePatienceMs,
} from '@renderkit/server-kit/metrics/part-metrics.ts';
import { within } from '@renderkit/server-kit/work/within.ts';
import type { Registry } from 'prom-client';
import { listBackends } from '../backends/queries.ts';
import { countLiveWorkers } from '../workers/heartbeat.ts';
import { countRenders, readOldestQueued } from './queries.ts';

/**
 * Adds the metrics that only the studio has: renders, workers, backends, room on its disk. They are read for each
 * request.
 */
export function addStudioMetrics(registry: Registry, database: Database, dataDirectory: string): void {
  addCounts(
    registry,
    { name: 'renderkit_renders', help: 'Renders that are not done, over all accounts.', label: 'state' },
    () => countRenders(database),
  );
  addNumber(
    registry,
    {
      name: 'renderkit_oldest_queued_render_seconds',
      help: 'Age of the render that has waited longest; 0 where none waits.',
    },
    () => readOldestQueued(database),
  );
  addNumber(
    registry,
    { name: 'renderkit_workers_alive', help: 'Worker processes that were heard of within the last seconds.' },
    () => countLiveWorkers(database),
  );
  addBackendMetrics(registry, database);
  addDataDirectoryMetric(registry, dataDirectory);
}

function addBackendMetrics(registry: Registry, database: Database): void {
  const labelNames = ['backend', 'engine', 'state'];
  const slots = addGauge(registry, {
    name: 'renderkit_backend_slots_in_use',
    help: 'Renders at a backend.',
    labelNames: ['backend', 'engine'],
    // `states` sets this gauge.
    collect: () => undefined,
  });
  const states = addGauge(registry, {
    name: 'renderkit_backend_state',
    help: '1 for the state that a backend is in.',
    labelNames,
    collect: async () => {
      const backends =
        (await within(
          listBackends(database).catch(() => []),
          databasePatienceMs,
        )) ?? [];
      states.reset();
      slots.reset();
      for (const { name, engine, state, in_use: inUse } of backends) {
        states.set({ backend: name, engine, state }, 1);
        slots.set({ backend: name, engine }, inUse);
      }
    },
  });
}
