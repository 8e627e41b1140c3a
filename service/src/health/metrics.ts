import type { Database } from '@renderkit/server-kit/db/database.ts';
import { addCounts, addGauge, addNumber } from '@renderkit/server-kit/metrics/part-metrics.ts';
import { Histogram, type Registry } from 'prom-client';
import type { RequestMetrics } from '../http/serve-operations.ts';
import { countUploads } from '../uploads/queries.ts';
import { countFailingEndpoints, readOldestWaiting, readQueueDepth } from './store.ts';

/**
 * Adds the service's own metrics, which are read on each request for them: the queue, uploads, webhooks, long polls and
 * streams.
 */
export function addServiceMetrics(
  registry: Registry,
  database: Database,
  open: { longPolls: () => number; streams: () => number },
): void {
  addCounts(
    registry,
    {
      name: 'renderkit_queued_generations',
      help: 'Generations that wait, over all accounts and processes.',
      label: 'lane',
    },
    () => readQueueDepth(database),
  );
  addNumber(
    registry,
    {
      name: 'renderkit_oldest_queued_generation_seconds',
      help: 'Age of the generation that has waited longest; 0 where none waits.',
    },
    () => readOldestWaiting(database),
  );
  addCounts(
    registry,
    {
      name: 'renderkit_uploads',
      help: 'Uploads under way, over all accounts and processes; left: files that should have been removed by now.',
      label: 'state',
    },
    () => countUploads(database),
  );
  addNumber(
    registry,
    {
      name: 'renderkit_failing_webhook_endpoints',
      help: 'Endpoints of webhooks, neither paused nor removed, whose deliveries fail.',
    },
    () => countFailingEndpoints(database),
  );
  const polls = addGauge(registry, {
    name: 'renderkit_open_long_polls',
    help: 'Requests of this process that wait for a generation to finish.',
    collect: () => polls.set(open.longPolls()),
  });
  const streams = addGauge(registry, {
    name: 'renderkit_open_streams',
    help: 'Streams of events that clients of this process have open.',
    collect: () => streams.set(open.streams()),
  });
}

const bucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

type Child = { observe: (seconds: number) => void };

/** Counts and times answers, by operation and status. */
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
