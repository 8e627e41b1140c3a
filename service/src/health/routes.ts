import { addMetricsRoute, type MetricsReaders } from '@renderkit/server-kit/metrics/metrics-route.ts';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { Readiness } from './readiness.ts';

/** Serves health to whatever monitors the process, and metrics to clients that may read them. */
export function addHealthRoutes(
  app: FastifyInstance,
  options: MetricsReaders & { registry: Registry; readiness: () => Promise<Readiness> },
): void {
  const noStore = { 'cache-control': 'no-store' };
  app.get('/healthz', (_request, reply) => reply.headers(noStore).send({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const readiness = await options.readiness();
    return reply
      .code(readiness.status === 'unavailable' ? 503 : 200)
      .headers(noStore)
      .send(readiness);
  });
  addMetricsRoute(app, options.registry, options);
}
