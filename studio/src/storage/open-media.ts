import type { KeyObject } from 'node:crypto';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { keepSettings } from '../settings/keep-settings.ts';
import type { BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';
import { claimStorage } from './claim-storage.ts';
import { recordLocation, requireLocation } from './media-location.ts';
import { type MediaLocation, openCheckedStorage, openStorage } from '@renderkit/blob-storage/open-storage.ts';

/** Media with the rows that name them, for whoever stores some beside the studio's own requests. */
export type MediaStore = { database: Database; storage: BlobStorage; mediaKey: KeyObject };

/**
 * Whoever stores in a location claims it first: media of another studio get none of this one's among them.
 * @throws ConfigError, also where this studio's media are kept elsewhere
 */
export async function openMedia(database: Database, location: MediaLocation): Promise<MediaStore> {
  const { mediaKey, studioId } = await keepSettings(database);
  await requireLocation(database, location);
  const storage = await openStorage(location);
  try {
    await claimStorage(storage, studioId, { ...location, databaseUrl: database.url });
  } catch (error) {
    await storage[Symbol.asyncDispose]();
    throw error;
  }
  return { database, storage, mediaKey };
}

/** Opens a location that serves and is this studio's, or nobody's until now, whether its media are kept there or not. @throws ConfigError */
export async function openOwnStorage(
  database: Database,
  location: MediaLocation,
): Promise<BlobStorage & AsyncDisposable> {
  const { studioId } = await keepSettings(database);
  await using owned = new AsyncDisposableStack();
  const storage = owned.use(await openCheckedStorage(location));
  await claimStorage(storage, studioId, { ...location, databaseUrl: database.url });
  owned.move();
  return storage;
}

/** The same for a part, which keeps media there from now on. @throws ConfigError, also where they are kept elsewhere */
export async function openPartStorage(
  database: Database,
  location: MediaLocation,
): Promise<BlobStorage & AsyncDisposable> {
  await requireLocation(database, location);
  await using owned = new AsyncDisposableStack();
  const storage = owned.use(await openOwnStorage(database, location));
  await recordLocation(database, location);
  owned.move();
  return storage;
}
