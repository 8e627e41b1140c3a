import type { TargetOptions } from '@renderkit/egress/validate-target.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createKeyedMutex } from '@renderkit/server-kit/work/mutex.ts';
import type { FastifyInstance } from 'fastify';
import { createAccountReader } from './account/read-account.ts';
import type { CatalogCache } from './catalog/catalog-cache.ts';
import type { ServiceConfig } from './config.ts';
import { connectionHandlers, settingsHandlers, storageHandlers } from './console-api/account.ts';
import { administrationHandlers } from './console-api/administration.ts';
import { auditHandlers } from './console-api/audit.ts';
import { deliveryHandlers } from './console-api/deliveries.ts';
import { addConsoleFiles } from './console-api/files.ts';
import { generationHandlers } from './console-api/generations.ts';
import { keyHandlers } from './console-api/keys.ts';
import { libraryHandlers } from './console-api/library.ts';
import { modelHandlers } from './console-api/models.ts';
import { overviewHandlers } from './console-api/overview.ts';
import { addConsoleApi } from './console-api/routes.ts';
import { sessionHandlers } from './console-api/sessions.ts';
import { webhookHandlers } from './console-api/webhooks.ts';
import { OutputMedia } from './facades/output-media.ts';
import type { Generations } from './generations/background.ts';
import type { Handlers } from './http/handler.ts';
import type { Serving } from './http/serve-operations.ts';
import { createSessionAdmission } from './identity/sessions/admit-session.ts';
import { sessionCookie } from './identity/sessions/session-cookie.ts';
import { createProviders, signOutAddress } from './identity/sign-in/provider.ts';
import { addSignInRoutes } from './identity/sign-in/routes.ts';
import type { StudioClient } from './studio-client/studio-client.ts';
import { signingSecrets } from './webhooks/endpoints/signing-secrets.ts';

export type ConsoleModules = {
  database: Database;
  serving: Serving;
  studioClient: StudioClient;
  catalogCache: CatalogCache;
  generations: Pick<Generations, 'settlement'>;
  /** Which addresses are allowed as webhook endpoints. */
  target: TargetOptions;
  /** The handlers of /v1. */
  handlers: Handlers;
};

/** Adds everything that a person's browser uses: the console's files, signing in, and the API of the pages. */
export async function addConsole(
  app: FastifyInstance,
  config: ServiceConfig,
  modules: ConsoleModules,
): Promise<void> {
  const { database, serving, studioClient } = modules;
  const { log } = serving;
  const { publicUrl } = config;
  const cookie = sessionCookie(app, publicUrl);
  const providers = createProviders({ ...config, studio: studioClient.signingIn });
  const account = createAccountReader({ studioClient, database });
  const accountMutex = createKeyedMutex();
  const media = new OutputMedia(config);
  app.addHook('onClose', () => media[Symbol.dispose]());
  await addConsoleFiles(app, config);
  addSignInRoutes(app, { ...config, database, log, cookie, providers });
  addConsoleApi(app, {
    sessions: createSessionAdmission(database, cookie),
    ownOrigin: new URL(publicUrl).origin,
    downloads: { database, studioClient, media },
    apiHandlers: modules.handlers,
    serving,
    handlers: {
      ...sessionHandlers({
        ...config,
        database,
        cookie,
        studioSignOutUrl: () => signOutAddress(providers, { publicUrl, log }),
      }),
      ...connectionHandlers({ ...config, account }),
      ...overviewHandlers({ database, account }),
      ...keyHandlers({ database, settlement: modules.generations.settlement }),
      ...webhookHandlers({
        database,
        accountMutex,
        secrets: signingSecrets(config.secretKey),
        ...modules.target,
      }),
      ...deliveryHandlers({ database, accountMutex }),
      ...generationHandlers({ database }),
      ...libraryHandlers({ database, studioClient }),
      ...modelHandlers(modules),
      ...storageHandlers({ database, account }),
      ...settingsHandlers({ database }),
      ...auditHandlers({ database }),
      ...administrationHandlers({ studioClient }),
    },
  });
}
