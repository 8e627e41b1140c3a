import { Histogram, type Registry } from 'prom-client';

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
