import { createServer as createNetServer } from 'node:net';
import path from 'node:path';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { createNotifier, listen } from '@renderkit/server-kit/db/notify.ts';
import { explainListenError } from '@renderkit/server-kit/http/listen-error.ts';
import type { Pace } from '@renderkit/server-kit/http/paced-body.ts';
import { createPartRegistry } from '@renderkit/server-kit/metrics/part-metrics.ts';
import { createLogger, type Logger } from '@renderkit/server-kit/process/logger.ts';
import { checkDatabase } from '@renderkit/server-kit/schema/check-database.ts';
import type { FastifyInstance } from 'fastify';
import { applyBackendsFile } from './backends/apply-backends.ts';
import { openBackendSecrets } from './backends/backend-secrets.ts';
import { DriverPool } from './backends/driver-pool.ts';
import { applyDataFiles } from './catalog/data-files.ts';
import { openCatalog } from './catalog/open-catalog.ts';
import { createWakeups } from './changes/watch-changes.ts';
import { changesChannel, jobsChannel, progressChannel, watchesChannel } from './channels.ts';
import { startCleaning } from './clean.ts';
import type { StudioConfig } from './config.ts';
import { addStudioMetrics } from './health/studio-metrics.ts';
import { createServer } from './http/create-server.ts';
import { openJobQueues } from './jobs/job-queues.ts';
import { openStudioRules } from './moderation/moderation.ts';
import { registerRoutes, type RouteDependencies } from './routes.ts';
import { keepSettings } from './settings/keep-settings.ts';
import { sqlDirectory } from './sql-directory.ts';
import { closeOldMedia } from '@renderkit/blob-storage/close-old-media.ts';
import { openPartStorage } from './storage/open-media.ts';
import { openUploadQueue } from './uploads/queue.ts';

/** Arguments that only tests pass. */
export type StudioTestArguments = {
  log?: Logger;
  crashPoint?: (name: string) => void | Promise<void>;
  onStuck?: (loop: string) => void;
  uploadPace?: Pace;
};

export type RunningStudio = AsyncDisposable & { url: string };

/** Starts the studio's HTTP interface in this process. Only the workers render. */
export async function startStudio(
  config: StudioConfig,
  testArguments: StudioTestArguments = {},
): Promise<RunningStudio> {
  const log = testArguments.log ?? createLogger({ part: 'studio', level: config.logLevel });
  const port = config.port === 0 ? await freePort(config.host) : config.port;
  const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
  await using owners = new AsyncDisposableStack();
  const stopping = new AbortController();
  const publicUrl = config.publicUrl ?? url;
  const mediaUrl = `${publicUrl}/media/`;
  const dependencies = await open({ ...config, mediaUrl }, owners, log);
  const { database, storage, announce } = dependencies;
  const app = createServer({ log, trustProxy: config.trustProxy });
  const registry = createPartRegistry(database);
  addStudioMetrics(registry, database, config.dataDirectory);
  registerRoutes(app, {
    ...dependencies,
    health: {
      registry,
      metricsToken: config.metricsToken,
      behindProxy: config.trustProxy.length > 0,
      host: config.host,
      publicUrl,
    },
    publicUrl,
    mediaUrl,
    client: config.client,
    signUp: config.signUp,
    stopping: stopping.signal,
    fileLimits: config.fileLimits,
    mediaDelivery: config.mediaDelivery,
    log,
    crashPoint: testArguments.crashPoint,
    ...(testArguments.uploadPace && { uploadPace: testArguments.uploadPace }),
  });
  owners.use(
    startCleaning({
      database,
      storage,
      announce: announce.change,
      log,
      mediaGraceSeconds: config.mediaGraceSeconds,
      onStuck: testArguments.onStuck,
    }),
  );
  const closing = closeOldMedia({ dataDirectory: config.dataDirectory, log }, stopping.signal);
  owners.defer(() => closing);
  // Runs in reverse order: long polls are answered, then connections are closed, then their dependencies.
  owners.defer(() => app.close());
  owners.defer(() => stopping.abort(new Error('the studio is stopping')));
  await listenOrSay(app, config.host, port);
  log.info({ url, public_url: publicUrl }, 'the studio serves');
  const started = owners.move();
  return { url, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

type Opened = Pick<
  RouteDependencies,
  | 'database'
  | 'settings'
  | 'storage'
  | 'moderation'
  | 'catalog'
  | 'uploads'
  | 'wakeups'
  | 'progress'
  | 'announce'
  | 'secrets'
  | 'egressAllow'
  | 'drivers'
>;

/** Opens the dependencies of the routes. Adds what must be closed to `owners`. */
async function open(
  config: StudioConfig & { mediaUrl: string },
  owners: AsyncDisposableStack,
  log: Logger,
): Promise<Opened> {
  const { databaseUrl, dataDirectory, mediaUrl } = config;
  const database = owners.use(
    openDatabase({
      url: databaseUrl,
      poolSize: config.databasePool,
      applicationName: 'studio',
      onIdleError: (error) => log.warn({ err: error }, 'an idle database connection broke'),
    }),
  );
  await checkDatabase(database, { variable: 'STUDIO_DATABASE_URL', sqlDirectory });
  const storage = owners.use(await openPartStorage(database, config));
  const settings = await keepSettings(database);
  await applyDataFiles(database, config, log);
  const secrets = openBackendSecrets(config.secretKey);
  await applyBackendsFile(database, dataDirectory, { secrets, variables: config.variables, log });
  const { egressAllow } = config;
  const drivers = owners.use(new DriverPool({ secrets, egressAllow, log }));
  const catalog = owners.use(await openCatalog({ database, log, mediaUrl }));
  const rules = path.join(dataDirectory, 'moderation.json');
  const moderation = owners.use(await openStudioRules({ path: rules, database, log }));
  const queues = owners.use(
    await openJobQueues({ databaseUrl, log, applicationName: 'studio jobs', poolSize: 2 }),
  );
  const uploads = await openUploadQueue(queues);
  const wakeups = createWakeups();
  const progress = createWakeups();
  const changes = owners.use(createNotifier({ database, channel: changesChannel, log }));
  const jobs = owners.use(createNotifier({ database, channel: jobsChannel, log }));
  const watches = owners.use(createNotifier({ database, channel: watchesChannel, log }));
  const channels = {
    [changesChannel]: (ids: string[]) => wakeups.wake(ids),
    [progressChannel]: (ids: string[]) => progress.wake(ids),
  };
  owners.use(listen({ url: databaseUrl, channels, log }));
  const announce = {
    change: (account: string) => {
      // Polls of this process need not wait for the notification from the database.
      wakeups.wake([account]);
      changes.announce(account);
    },
    job: () => jobs.announce('job'),
    watch: (render: string) => watches.announce(render),
  };
  return {
    database,
    settings,
    storage,
    moderation,
    catalog,
    uploads,
    wakeups,
    progress,
    announce,
    secrets,
    egressAllow,
    drivers,
  };
}

async function listenOrSay(app: FastifyInstance, host: string, port: number): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw new ConfigError(explainListenError({ name: 'STUDIO_PORT', host, port }, error), { cause: error });
  }
}

/** Finds a free port, since links contain the port before the server listens. Only tests let the system choose. */
async function freePort(host: string): Promise<number> {
  const probe = createNetServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, host, resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
