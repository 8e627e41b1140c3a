import type { Render } from '@renderkit/contract/studio/schemas/render.ts';
import type { StudioUpload } from '@renderkit/contract/studio/schemas/upload.ts';
import type { Client } from '@renderkit/identity/provider/provider.ts';
import { registerIdentity } from '@renderkit/identity/register-identity.ts';
import type { FileLimits } from '@renderkit/media-kit/file-limits.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Pace } from '@renderkit/server-kit/http/paced-body.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { FastifyInstance } from 'fastify';
import { accountRoutes } from './accounts/routes.ts';
import { administrationRoutes } from './administration/routes.ts';
import {
  authenticateClient,
  createAuthenticator,
  refuseUnderMaintenance,
} from './authentication/authenticate.ts';
import { isUnderMaintenance } from './authentication/queries.ts';
import type { BackendSecrets } from './backends/backend-secrets.ts';
import type { DriverPool } from './backends/driver-pool.ts';
import type { Catalog } from './catalog/open-catalog.ts';
import { builtInImageRoutes } from './catalog/built-in-images.ts';
import { catalogRoutes } from './catalog/routes.ts';
import { changesRoutes } from './changes/routes.ts';
import type { Wakeups } from './changes/watch-changes.ts';
import { addHealthRoutes, type HealthOptions } from './health/routes.ts';
import { registerOperations } from './http/register-operations.ts';
import { createIdentityStore } from './identity/keep-identity.ts';
import { libraryRoutes } from './library/routes.ts';
import type { Moderation } from './moderation/moderation.ts';
import { progressRoutes } from './progress/routes.ts';
import { projectRoutes } from './projects/routes.ts';
import { presentRender } from './renders/present.ts';
import { renderRoutes } from './renders/routes.ts';
import type { StudioSettings } from './settings/keep-settings.ts';
import type { BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';
import { mediaRoutes } from './storage/routes.ts';
import { presentUpload } from './uploads/present.ts';
import type { UploadQueue } from './uploads/queue.ts';
import { uploadRoutes } from './uploads/routes.ts';
import { countLiveWorkers } from './workers/heartbeat.ts';

export const studioVersion = '0.1.0';

export type RouteDependencies = {
  database: Database;
  settings: StudioSettings;
  storage: BlobStorage;
  moderation: Moderation;
  catalog: Catalog;
  uploads: UploadQueue;
  /** Notifications about accounts whose feed has new changes. */
  wakeups: Wakeups;
  /** Notifications about renders whose progress changed. */
  progress: Wakeups;
  /** The secrets of backends. */
  secrets: BackendSecrets;
  drivers: DriverPool;
  /** Providers may name addresses in these networks, in addition to public addresses. */
  egressAllow: readonly string[];
  announce: { change: (account: string) => void; job: () => void; watch: (render: string) => void };
  /** The public URL, without a slash at the end. */
  publicUrl: string;
  /** The URL before the key of a file in the storage, with a slash at the end. */
  mediaUrl: string;
  client: Client;
  signUp: 'open' | 'closed';
  stopping: AbortSignal;
  fileLimits: FileLimits;
  mediaDelivery: 'proxy' | 'redirect';
  /** Who may read metrics, and the metrics. */
  health: Omit<HealthOptions, 'database' | 'storage'>;
  log: Logger;
  crashPoint: ((name: string) => void | Promise<void>) | undefined;
  uploadPace?: Pace;
};

/** Registers all routes of the studio: its interface, media, health and sign-in. */
export function registerRoutes(app: FastifyInstance, dependencies: RouteDependencies): void {
  const { database, settings, mediaUrl, client } = dependencies;
  const present = {
    presentRender: (render: Render) => presentRender(render, mediaUrl),
    presentUpload: (upload: StudioUpload) => presentUpload(upload, mediaUrl),
  };
  const { mediaKey } = settings;
  // An answer while stopping must not keep its connection open: closing would wait for the connection.
  app.addHook('onSend', async (_request, reply) => {
    if (dependencies.stopping.aborted) reply.header('connection', 'close');
  });
  const notUnderMaintenance = async () => refuseUnderMaintenance(await isUnderMaintenance(database));
  const { issuer } = registerIdentity(app, {
    ...dependencies,
    store: createIdentityStore(database),
    secrets: settings,
  });
  const authenticator = createAuthenticator(database);
  registerOperations(
    app,
    {
      getMetadata: async () => ({
        studio_id: settings.studioId,
        issuer,
        version: studioVersion,
        workers_alive: await countLiveWorkers(database),
        progress: true,
        administration: true,
        stops: true,
        shared_quotes: true,
      }),
      ...accountRoutes(database, dependencies.catalog),
      ...catalogRoutes(database, dependencies.catalog),
      ...projectRoutes(database, mediaUrl),
      ...libraryRoutes({ ...dependencies, mediaKey, mediaUrl }),
      ...uploadRoutes({
        ...dependencies,
        ...present,
        mediaKey,
        ...(dependencies.uploadPace && { pace: dependencies.uploadPace }),
      }),
      ...renderRoutes({
        ...dependencies,
        ...present,
        quoteKey: settings.quoteKey,
        findBearer: authenticator.findBearer,
        clientId: client.id,
      }),
      ...changesRoutes({ ...dependencies, ...present, clientId: client.id }),
      ...progressRoutes({ ...dependencies, clientId: client.id }),
      ...administrationRoutes({ ...dependencies, mediaKey }),
    },
    {
      account: authenticator.bearerOf,
      client: (authorization) => authenticateClient(authorization, client),
      notUnderMaintenance,
    },
  );
  builtInImageRoutes(app);
  mediaRoutes(app, { storage: dependencies.storage, delivery: dependencies.mediaDelivery });
  addHealthRoutes(app, { ...dependencies.health, ...dependencies });
}
