import { mkdir } from 'node:fs/promises';
import { createServer as createNetServer } from 'node:net';
import path from 'node:path';
import type { Render } from '@renderkit/contract/studio/schemas.ts';
import { openDatabase } from '@renderkit/server-kit/database.ts';
import { createLogger, type Logger } from '@renderkit/server-kit/logger.ts';
import { startLoop } from '@renderkit/server-kit/loop.ts';
import { createNotifier, listen } from '@renderkit/server-kit/notify.ts';
import type { FastifyInstance } from 'fastify';
import { accountRoutes } from './accounts/routes.ts';
import { catalogRoutes } from './catalog/routes.ts';
import { changesRoutes } from './changes/routes.ts';
import { createWakeups } from './changes/watch-changes.ts';
import { changesChannel, jobsChannel } from './channels.ts';
import { clean, cleanEveryMs } from './clean.ts';
import type { StudioConfig } from './config.ts';
import { healthRoutes } from './health.ts';
import { mediaRoutes } from './media/routes.ts';
import { openRuleList } from './moderation/rule-list.ts';
import { projectRoutes } from './projects/routes.ts';
import { registerOperations } from './register-operations.ts';
import { presentRender } from './renders/present.ts';
import { openRenderQueue } from './renders/queue.ts';
import { renderRoutes } from './renders/routes.ts';
import { failLostRender } from './renders/run-render.ts';
import { createServer } from './server.ts';
import { keepSettings } from './settings/keep-settings.ts';
import { authenticateClient, createAuthenticator, refuseUnderMaintenance } from './sign-in/authenticate.ts';
import { createProvider, issuerPath } from './sign-in/provider.ts';
import { signInRoutes } from './sign-in/routes.ts';
import { isUnderMaintenance } from './sign-in/store.ts';
import { openDiskStorage } from './storage/disk-storage.ts';

export const studioVersion = '0.1.0';

/** What only tests hand in. */
export type StudioTestArguments = {
  log?: Logger;
  crashPoint?: (name: string) => void | Promise<void>;
  onStuck?: (loop: string) => void;
};

export type RunningStudio = AsyncDisposable & { url: string };

/** Starts the studio's HTTP interface in this process; renders are the workers' matter. */
export async function startStudio(
  config: StudioConfig,
  testArguments: StudioTestArguments = {},
): Promise<RunningStudio> {
  const log = testArguments.log ?? createLogger({ part: 'studio', level: config.logLevel });
  const port = config.port === 0 ? await freePort(config.host) : config.port;
  const publicUrl =
    config.publicUrl ?? `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
  await using owners = new AsyncDisposableStack();
  const stopping = new AbortController();
  const database = owners.use(
    openDatabase({
      url: config.databaseUrl,
      poolSize: config.databasePool,
      applicationName: 'studio',
      onIdleError: (error) => log.warn({ err: error }, 'an idle database connection broke'),
    }),
  );
  const settings = await keepSettings(database);
  await mkdir(config.dataDirectory, { recursive: true });
  const storage = await openDiskStorage(path.join(config.dataDirectory, 'media'));
  const moderation = await openRuleList({ path: path.join(config.dataDirectory, 'moderation.json'), log });
  const queue = owners.use(
    await openRenderQueue({
      databaseUrl: config.databaseUrl,
      log,
      applicationName: 'studio jobs',
      poolSize: 2,
    }),
  );
  const wakeups = createWakeups();
  const changes = owners.use(createNotifier({ database, channel: changesChannel, log }));
  const jobs = owners.use(createNotifier({ database, channel: jobsChannel, log }));
  owners.use(
    listen({ url: config.databaseUrl, channel: changesChannel, log, onIds: (ids) => wakeups.wake(ids) }),
  );
  const announce = {
    change: (account: string) => {
      wakeups.wake([account]);
      changes.announce(account);
    },
    job: () => jobs.announce('job'),
  };
  await queue.workLost((render) => failLostRender(render, { database, announce: announce.change }));

  const provider = createProvider({
    database,
    settings,
    issuer: publicUrl + issuerPath,
    client: { id: config.clientId, secret: config.clientSecret },
    trustProxy: config.trustProxy,
  });
  const app = createServer({ log, trustProxy: config.trustProxy });
  const mediaUrl = `${publicUrl}/media/`;
  const present = (render: Render) => presentRender(render, mediaUrl);
  const authenticator = createAuthenticator(database);
  registerOperations(
    app,
    {
      getMetadata: async () => ({
        studio_id: settings.studioId,
        issuer: publicUrl + issuerPath,
        version: studioVersion,
      }),
      ...accountRoutes(database),
      ...catalogRoutes(database),
      ...projectRoutes(database, mediaUrl),
      ...renderRoutes({
        database,
        quoteKey: settings.quoteKey,
        moderation,
        presentRender: present,
        submit: {
          database,
          queue,
          quoteKey: settings.quoteKey,
          moderation,
          announce,
          crashPoint: testArguments.crashPoint,
        },
      }),
      ...changesRoutes({
        database,
        wakeups,
        clientId: config.clientId,
        stopping: stopping.signal,
        presentRender: present,
      }),
    },
    {
      account: authenticator,
      client: async (authorization) => {
        refuseUnderMaintenance(await isUnderMaintenance(database));
        authenticateClient(authorization, { id: config.clientId, secret: config.clientSecret });
      },
      anyone: async () => refuseUnderMaintenance(await isUnderMaintenance(database)),
    },
  );
  mediaRoutes(app, storage);
  healthRoutes(app, database);
  signInRoutes(app, provider);
  owners.use(
    startLoop({
      name: 'clean',
      everyMs: cleanEveryMs,
      run: (signal) => clean(database, storage, signal),
      log,
      stuckAfterMs: 10 * cleanEveryMs,
      ...(testArguments.onStuck && { onStuck: testArguments.onStuck }),
    }),
  );
  await app.listen({ host: config.host, port });
  const started = owners.move();
  log.info({ url: publicUrl, port }, 'the studio serves');
  return { url: `http://${config.host}:${port}`, [Symbol.asyncDispose]: () => stop(app, stopping, started) };
}

/** Long polls are answered first, then connections closed, then what they used. */
async function stop(
  app: FastifyInstance,
  stopping: AbortController,
  owners: AsyncDisposableStack,
): Promise<void> {
  stopping.abort(new Error('the studio is stopping'));
  await app.close();
  await owners.disposeAsync();
}

/** Links need the port before anything listens on it; only tests let the system choose. */
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
