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
    /** `undefined`: not served. 0 lets the system choose (tests). */
    port: number | undefined;
    /** A bearer token with this value opens /metrics. `undefined`: only this machine may read /metrics. */
    metricsToken: string | undefined;
  };
  database: Database;
  storage: BlobStorage;
  /** Counts the renders of this process. */
  countHeld: () => number;
  log: Logger;
};

/**
 * Serves health and metrics of a worker if WORKER_PORT names a port. Returns `undefined` otherwise.
 *
 * @throws ConfigError when the port cannot be served
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
