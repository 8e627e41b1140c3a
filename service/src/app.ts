import type { AddressInfo } from 'node:net';
import fastifyCookie from '@fastify/cookie';
import { streamHeartbeatSeconds } from '@renderkit/contract/v1/limits.ts';
import type { OperationId } from '@renderkit/contract/v1/operations.ts';
import { parseCidrs } from '@renderkit/egress/public-address.ts';
import type { TargetOptions } from '@renderkit/egress/validate-target.ts';
import { type Database, openDatabase } from '@renderkit/server-kit/db/database.ts';
import { keepPresence } from '@renderkit/server-kit/db/presence.ts';
import { EventStreams } from '@renderkit/server-kit/http/event-streams.ts';
import { explainListenError } from '@renderkit/server-kit/http/listen-error.ts';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { createPartRegistry } from '@renderkit/server-kit/metrics/part-metrics.ts';
import { createLogger, type Logger } from '@renderkit/server-kit/process/logger.ts';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { createAgeVerification } from './account/age-verification.ts';
import { accountRoutes } from './account/routes.ts';
import { type CatalogCache, createCatalogCache } from './catalog/catalog-cache.ts';
import { createExplainUnknown } from './catalog/explain-unknown-field.ts';
import { catalogRoutes } from './catalog/routes.ts';
import type { ServiceConfig } from './config.ts';
import { addConsole } from './console.ts';
import { addDocsRoutes } from './docs/routes.ts';
import { estimateRoutes } from './estimate/routes.ts';
import { startFacades } from './facades/start-facades.ts';
import { framesRoutes } from './frames/routes.ts';
import { type Generations, startGenerations } from './generations/background.ts';
import { eventRoutes } from './generations/events/routes.ts';
import { liveRoutes } from './generations/live/routes.ts';
import { generationRoutes } from './generations/routes.ts';
import { createSettleUploads } from './generations/settle/settle-uploads.ts';
import { startSignals } from './generations/signals.ts';
import { addServiceMetrics, createRequestMetrics } from './health/metrics.ts';
import { createMissingParts, createReadinessCheck } from './health/readiness.ts';
import { addHealthRoutes } from './health/routes.ts';
import { createServer } from './http/create-server.ts';
import type { Handlers } from './http/handler.ts';
import { AnswerWriter, serveOperations } from './http/serve-operations.ts';
import { Admission } from './identity/admission/admit.ts';
import { KeyStreams } from './identity/keys/key-streams.ts';
import { libraryRoutes } from './library/routes.ts';
import { startMcp } from './mcp/start-mcp.ts';
import { startErasure } from './operator/erase-accounts.ts';
import { checkDatabase } from './preflight/check-database.ts';
import { checkSecretKey } from './preflight/check-secret-key.ts';
import { projectsRoutes } from './projects/routes.ts';
import { QuoteBatcher } from './quotes/quote-batcher.ts';
import type { QuotingDependencies } from './quotes/validate-and-quote.ts';
import { startCleaner } from './retention/cleaner.ts';
import { createStudioClient, type StudioClient } from './studio-client/studio-client.ts';
import type { TestHooks } from './test-hooks.ts';
import { startUploads, type Uploads } from './uploads/start-uploads.ts';
import { uploadsRoutes } from './uploads/routes.ts';
import { createLargeBodies } from './validation/large-bodies.ts';
import type { ExplainUnknown } from './validation/validate-request.ts';
import { startDeliveries } from './webhooks/deliveries/start-deliveries.ts';
import { signingSecrets } from './webhooks/endpoints/signing-secrets.ts';

export type ServiceOptions = {
  log?: Logger;
  /** Called when a background loop has made no progress for a long time. The process should then end. */
  onStuck?: (name: string) => void;
  testHooks?: TestHooks;
};

export type RunningService = AsyncDisposable & { url: string };

/** How often a facade sends a sign of life on a request that it holds, after the first one. */
const heartbeatEveryMs = 15_000;

/**
 * Starts the service: checks the database, wires the modules, listens. Disposing it answers open long polls, lets
 * running requests finish and leaves queued generations to other processes.
 * @throws ConfigError when the database, SECRET_KEY or the port cannot be used
 */
export async function startService(
  config: ServiceConfig,
  options: ServiceOptions = {},
): Promise<RunningService> {
  await using owned = new AsyncDisposableStack();
  const log = options.log ?? createLogger({ part: 'service', level: config.logLevel });
  const database = owned.use(
    openDatabase({
      url: config.databaseUrl,
      poolSize: config.databasePool,
      applicationName: 'service',
      onIdleError: (error) => log.warn({ err: error }, 'an idle connection to the database broke'),
    }),
  );
  await checkDatabase(database);
  await checkSecretKey(database, config.secretKey);
  const modules = startModules(owned, config, options, { database, log });
  const app = createServer(config, log);
  // Routes that need cookies read them; no route of /v1 does.
  await app.register(fastifyCookie, { hook: false });
  const registry = createPartRegistry(database);
  const streams = new EventStreams({ heartbeatMs: streamHeartbeatSeconds * 1_000 });
  const serving = {
    answers: new AnswerWriter(app, createRequestMetrics(registry), streams),
    largeBodies: createLargeBodies(),
    explainUnknown: modules.explainUnknown,
    docsUrl: config.docsUrl,
    log,
  };
  const presence = owned.use(keepPresence({ url: database.url, log }));
  serveOperations(app, { admission: modules.admission, handlers: modules.handlers, serving });
  startFacades(owned, app, {
    ...modules,
    ...config,
    names: config.facades,
    database,
    presence,
    sendFile: modules.uploads.sendFile,
    deleteUpload: modules.uploads.deleteUpload,
    largeBodies: serving.largeBodies,
    heartbeat: { afterMs: config.facadeHeartbeatAfterSeconds * 1_000, everyMs: heartbeatEveryMs },
    log,
  });
  const mcp = startMcp(owned, app, {
    ...modules,
    ...config,
    database,
    presence,
    largeBodies: serving.largeBodies,
    log,
  });
  await addConsole(app, config, { ...modules, database, serving });
  addWatching(app, config, { ...modules, registry, database, streams });
  await addDocsRoutes(app, config);
  owned.defer(() => app.close());
  // These end first; otherwise the server would wait for them.
  owned.use(streams);
  owned.use(mcp);
  owned.defer(() => modules.generations.longPolls[Symbol.asyncDispose]());
  owned.defer(() => modules.uploads.endSoon());
  await app.listen({ host: config.host, port: config.port }).catch((error: unknown) => {
    throw new ConfigError(explainListenError({ ...config, name: 'PORT' }, error), { cause: error });
  });
  const { port } = app.server.address() as AddressInfo;
  log.info({ host: config.host, port }, 'the service listens');
  const running = owned.move();
  return {
    url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Adds the metrics and the health routes, for whatever monitors the process. */
function addWatching(
  app: FastifyInstance,
  config: ServiceConfig,
  {
    registry,
    database,
    streams,
    generations,
    studioClient,
  }: Pick<Modules, 'generations' | 'studioClient'> & {
    registry: Registry;
    database: Database;
    streams: EventStreams;
  },
): void {
  addServiceMetrics(registry, database, {
    longPolls: () => generations.longPolls.open,
    streams: () => streams.open,
  });
  addHealthRoutes(app, {
    registry,
    readiness: createReadinessCheck({ database, missingParts: createMissingParts(studioClient) }),
    metricsToken: config.metricsToken,
    behindProxy: config.trustProxy.length > 0,
    host: config.host,
    publicUrl: config.publicUrl,
  });
}

type Modules = {
  admission: Admission;
  generations: Generations;
  uploads: Uploads;
  catalogCache: CatalogCache;
  studioClient: StudioClient;
  target: TargetOptions;
  handlers: Handlers;
  explainUnknown: (operation: OperationId) => ExplainUnknown | undefined;
};

function startModules(
  owned: AsyncDisposableStack,
  config: ServiceConfig,
  { onStuck, testHooks = {} }: ServiceOptions,
  { database, log }: { database: Database; log: Logger },
): Modules {
  const { crashPoint, resolver, studioTimeoutMs } = testHooks;
  const studioClient = owned.use(
    createStudioClient({
      ...config,
      database,
      log,
      crashPoint,
      ...(studioTimeoutMs !== undefined && { timeoutMs: studioTimeoutMs }),
    }),
  );
  const target: TargetOptions = { allow: parseCidrs(config.egressAllow.join(',')), resolver };
  const catalogCache = createCatalogCache(studioClient);
  const admission = owned.use(new Admission({ database, log }));
  const work = startWork(owned, config, {
    database,
    log,
    onStuck,
    testHooks,
    studioClient,
    target,
    catalogCache,
  });
  owned.use(startCleaner({ database, log, onStuck }));
  owned.use(startErasure({ database, log, onStuck }));
  return {
    admission,
    generations: work.generations,
    uploads: work.uploads,
    catalogCache,
    studioClient,
    explainUnknown: createExplainUnknown(catalogCache),
    target,
    handlers: {
      ...accountRoutes({ studioClient, database }),
      ...catalogRoutes({ catalogCache }),
      ...projectsRoutes({ studioClient }),
      ...libraryRoutes({ studioClient }),
      ...framesRoutes({ studioClient }),
      ...uploadsRoutes({ ...work.uploads, database }),
      ...estimateRoutes({ quoting: work.quoting, database }),
      ...generationRoutes({ ...work.generations, database }),
      ...eventRoutes({ ...work.generations, ...work, database }),
      ...liveRoutes({ ...work.generations, ...work }),
    },
  };
}

type WorkOptions = {
  database: Database;
  log: Logger;
  onStuck: ServiceOptions['onStuck'];
  testHooks: TestHooks;
  studioClient: StudioClient;
  target: TargetOptions;
  catalogCache: CatalogCache;
};

/**
 * Starts the work that continues after a request was answered: webhooks, files, generations. Each part gets the parts
 * that were made before it.
 */
function startWork(owned: AsyncDisposableStack, config: ServiceConfig, options: WorkOptions) {
  const { database, studioClient, target, testHooks } = options;
  const { crashPoint, leaseMs, stuckAfterMs, deliveryPollMs } = testHooks;
  const deliveries = startDeliveries({
    ...options,
    ...target,
    crashPoint,
    leaseMs,
    stuckAfterMs,
    pollMs: deliveryPollMs,
    secrets: signingSecrets(config.secretKey),
  });
  const keyStreams = owned.use(new KeyStreams(options));
  const signals = owned.use(startSignals({ ...options, deliveries, keyStreams }));
  const { announcer, wokenAccounts } = signals;
  const settleUploads = createSettleUploads({ database, announcer, wokenAccounts, deliveries, crashPoint });
  const uploads = startUploads({
    ...options,
    settle: settleUploads,
    onProcessing: (accountId) => signals.subscriptions.follow(accountId),
  });
  const quoting: QuotingDependencies = {
    database,
    catalogCache: options.catalogCache,
    ageVerified: createAgeVerification(studioClient),
    quotes: new QuoteBatcher(studioClient),
    references: { database, target, sendFile: uploads.sendFile },
  };
  const { queueCap } = config;
  const generations = startGenerations({ ...options, queueCap, signals, settleUploads, uploads, quoting });
  // All three at the same time: each may need seconds to finish its running work.
  owned.defer(async () => {
    await Promise.all([uploads, generations, deliveries].map((one) => one[Symbol.asyncDispose]()));
  });
  return { generations, uploads, quoting, keyStreams };
}
