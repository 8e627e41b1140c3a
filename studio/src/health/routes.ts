import { type Database, isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { addMetricsRoute, type MetricsReaders } from '@renderkit/server-kit/metrics/metrics-route.ts';
import { addGauge } from '@renderkit/server-kit/metrics/part-metrics.ts';
import { within } from '@renderkit/server-kit/work/within.ts';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { BlobStorage } from '../storage/blob-storage.ts';

/** A storage that does not answer within this counts as missing. */
const mediaAnswerMs = 2_000;
/** Whoever asks meanwhile gets the answer of before: a look writes to the storage. */
const mediaKnownMs = 10_000;

export type HealthOptions = MetricsReaders & {
  database: Database;
  storage: Pick<BlobStorage, 'check'>;
  registry: Registry;
};

/**
 * Alive: the process answers. Ready: the database does too. Degraded: media can be neither stored nor served now, and all
 * else goes on. Unavailable: nothing can be done without the database. Metrics for whoever may read them.
 */
export function addHealthRoutes(app: FastifyInstance, options: HealthOptions): void {
  const { database, storage } = options;
  const hasMedia = keptFor(mediaKnownMs, () => answers(storage));
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
    help: 'Whether media can be stored and read by this process, 1 or 0, as of the last ten seconds.',
    collect: async () => up.set((await hasMedia()) ? 1 : 0),
  });
  addMetricsRoute(app, options.registry, options);
}

async function answers(storage: Pick<BlobStorage, 'check'>): Promise<boolean> {
  const check = storage.check().then(
    () => true,
    () => false,
  );
  return (await within(check, mediaAnswerMs)) ?? false;
}

/** One answer for all who ask within so many milliseconds. */
function keptFor<T>(keepMs: number, ask: () => Promise<T>): () => Promise<T> {
  let kept: { until: number; answer: Promise<T> } | undefined;
  return () => {
    const now = performance.now();
    if (kept === undefined || kept.until <= now) kept = { until: now + keepMs, answer: ask() };
    return kept.answer;
  };
}
