import { type Database, isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { addMetricsRoute, type MetricsReaders } from '@renderkit/server-kit/metrics/metrics-route.ts';
import { addGauge } from '@renderkit/server-kit/metrics/part-metrics.ts';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';
import { createMediaLook } from './media-health.ts';

export type HealthOptions = MetricsReaders & {
  database: Database;
  storage: Pick<BlobStorage, 'check'>;
  registry: Registry;
};

/**
 * Alive: the process answers. Ready: the database answers too. Degraded: media can be neither stored nor served now;
 * everything else works. Unavailable: nothing works without the database. `service/src/health/readiness.ts` decides the
 * same for the service. Also serves metrics to callers who may read them.
 */
export function addHealthRoutes(app: FastifyInstance, options: HealthOptions): void {
  const { database } = options;
  const hasMedia = createMediaLook(options.storage);
  app.get('/healthz', async (_request, reply) => reply.send({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    try {
      await database.rows('select clock()');
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      return reply.code(503).send({ status: 'unavailable', missing: ['database'] });
    }
    return reply.send((await hasMedia()) ? { status: 'ready' } : { status: 'degraded', missing: ['media'] });
  });
  const up = addGauge(options.registry, {
    name: 'renderkit_media_up',
    help: 'Whether media can be stored and read by this process, 1 or 0, as the last look saw it.',
    collect: async () => up.set((await hasMedia()) ? 1 : 0),
  });
  addMetricsRoute(app, options.registry, options);
}
