import path from 'node:path';
import type { Engine } from '@renderkit/engine-kit/engine.ts';
import { removeDeadDirectories } from '@renderkit/media-kit/temporary-directory.ts';
import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { createNotifier, listen } from '@renderkit/server-kit/db/notify.ts';
import { createLogger, type Logger } from '@renderkit/server-kit/process/logger.ts';
import { checkDatabase } from '@renderkit/server-kit/schema/check-database.ts';
import { openBackendSecrets } from './backends/backend-secrets.ts';
import { DriverPool } from './backends/driver-pool.ts';
import { openEngines } from '@renderkit/engine-registry/open-engines.ts';
import { startBackendHealth } from './backends/start-backend-health.ts';
import { openCatalog } from './catalog/open-catalog.ts';
import { createWakeups } from './changes/watch-changes.ts';
import { changesChannel, jobsChannel, progressChannel, watchesChannel } from './channels.ts';
import type { WorkerConfig } from './config.ts';
import { serveWorkerHealth } from './health/serve-worker-health.ts';
import { openJobQueues } from './jobs/job-queues.ts';
import { openWorkerRules } from './moderation/moderation.ts';
import type { Pauses } from './renders/job.ts';
import { type ClaimsOptions, startClaims } from './renders/start-claims.ts';
import { keepSettings } from './settings/keep-settings.ts';
import { sqlDirectory } from './sql-directory.ts';
import { openPartStorage } from './storage/open-media.ts';
import { checkUpload } from './uploads/check-upload.ts';
import { openUploadQueue } from './uploads/queue.ts';
import { startHeartbeat } from './workers/heartbeat.ts';

/** Arguments that only tests pass. */
export type WorkerTestArguments = {
  log?: Logger;
  engines?: Engine[];
  crashPoint?: (name: string) => void | Promise<void>;
  pauses?: Partial<Pauses>;
};

/** The minimum number of uploads checked in parallel: an image need not wait for a video. */
const checksAtOnce = 2;

/** Starts a render worker in this process: `workers` renders at once in each queue, and the checks of uploads. */
export async function startWorker(
  config: WorkerConfig,
  testArguments: WorkerTestArguments = {},
): Promise<AsyncDisposable> {
  const log = testArguments.log ?? createLogger({ part: 'worker', level: config.logLevel });
  await using owners = new AsyncDisposableStack();
  const database = owners.use(
    openDatabase({
      url: config.databaseUrl,
      poolSize: 4 + config.workers,
      applicationName: 'worker',
      onIdleError: (error) => log.warn({ err: error }, 'an idle database connection broke'),
    }),
  );
  await checkDatabase(database, { variable: 'STUDIO_DATABASE_URL', sqlDirectory });
  const settings = await keepSettings(database);
  const catalog = owners.use(await openCatalog({ database, log }));
  const storage = owners.use(await openPartStorage(database, config));
  await removeDeadDirectories();
  // Opened before the queue and so closed after it: renders in progress are finished when the worker stops.
  const engines = testArguments.engines ?? openEngines(config.workers, owners);
  const changes = owners.use(createNotifier({ database, channel: changesChannel, log }));
  const progress = owners.use(createNotifier({ database, channel: progressChannel, log }));
  const watches = createWakeups();
  const rules = path.join(config.dataDirectory, 'moderation.json');
  const moderation = await openWorkerRules({ path: rules, database, log });
  const queues = owners.use(
    await openJobQueues({
      databaseUrl: config.databaseUrl,
      log,
      applicationName: 'worker jobs',
      poolSize: 2 + config.workers,
    }),
  );
  const uploads = await openUploadQueue(queues);
  const dependencies = {
    database,
    storage,
    mediaKey: settings.mediaKey,
    catalog,
    engines,
    announce: (account: string) => changes.announce(account),
    announceProgress: (render: string) => progress.announce(render),
    watches,
    log,
    crashPoint: testArguments.crashPoint,
    ...(testArguments.pauses && { pauses: testArguments.pauses }),
  };
  await uploads.work(Math.max(checksAtOnce, config.workers), (upload, signal) =>
    checkUpload(upload, signal, { ...dependencies, uploads, moderation }),
  );
  const claims = startBackends(config, owners, dependencies);
  const wake = () => {
    queues.wake();
    claims.wake();
  };
  owners.use(
    listen({
      url: config.databaseUrl,
      channels: { [jobsChannel]: wake, [watchesChannel]: (ids) => watches.wake(ids) },
      log,
      onConnect: wake,
    }),
  );
  const health = await serveWorkerHealth({ config, database, storage, countHeld: () => claims.count(), log });
  if (health !== undefined) owners.use(health);
  // Opened last and so closed first: a worker that stops is no longer counted.
  owners.use(await startHeartbeat(database, log));
  log.info({ workers: config.workers }, 'the worker waits for renders');
  return owners.move();
}

/**
 * Claims renders for the engines of this process and for remote backends, and keeps the state of these backends up to
 * date.
 */
function startBackends(
  config: WorkerConfig,
  owners: AsyncDisposableStack,
  dependencies: Omit<ClaimsOptions, 'slotsPerLane' | 'labels' | 'driverOf'>,
): ReturnType<typeof startClaims> {
  const { database, log } = dependencies;
  const secrets = openBackendSecrets(config.secretKey);
  const drivers = owners.use(
    new DriverPool({
      secrets,
      egressAllow: config.egressAllow,
      log,
      folder: path.join(config.dataDirectory, 'commands'),
    }),
  );
  const claims = owners.use(
    startClaims({
      ...dependencies,
      slotsPerLane: config.workers,
      labels: config.labels,
      driverOf: (backend) => drivers.find(database, backend),
    }),
  );
  const jobs = owners.use(createNotifier({ database, channel: jobsChannel, log }));
  owners.use(startBackendHealth({ database, drivers, announce: () => jobs.announce('job'), log }));
  return claims;
}
