import type { Database } from '@renderkit/server-kit/db/database.ts';
import { explainListenError } from '@renderkit/server-kit/http/listen-error.ts';
import { addGauge, createPartRegistry } from '@renderkit/server-kit/metrics/part-metrics.ts';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { createServer } from '../http/create-server.ts';
import type { BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';
import { addHealthRoutes } from './routes.ts';

export type WorkerHealthOptions = {
  config: {
    host: string;
    /** Undefined: nowhere. 0 lets the system choose (tests). */
    port: number | undefined;
    /** Opens /metrics to whoever sends it as a bearer token; without one only this machine may read it. */
    metricsToken: string | undefined;
  };
  database: Database;
  storage: BlobStorage;
  /** Renders that this process is at. */
  countHeld: () => number;
  log: Logger;
};

/**
 * Serves health and metrics of a worker where WORKER_PORT names a port; elsewhere nothing.
 *
 * @throws ConfigError where the port does not serve
 */
export async function serveWorkerHealth({
  config,
  database,
  storage,
  countHeld,
  log,
}: WorkerHealthOptions): Promise<AsyncDisposable | undefined> {
  const { host, port, metricsToken } = config;
  if (port === undefined) return undefined;
  const registry = createPartRegistry(database);
  const held = addGauge(registry, {
    name: 'renderkit_worker_renders',
    help: 'Renders that this process is at, those that it follows at a backend too.',
    collect: () => held.set(countHeld()),
  });
  const app = createServer({ log, trustProxy: [] });
  addHealthRoutes(app, {
    database,
    storage,
    registry,
    host,
    metricsToken,
    behindProxy: false,
    publicUrl: undefined,
  });
  await app.listen({ host, port }).catch((error: unknown) => {
    throw new ConfigError(explainListenError({ name: 'WORKER_PORT', host, port }, error), { cause: error });
  });
  return { [Symbol.asyncDispose]: () => app.close() };
}
