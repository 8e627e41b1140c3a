import type { KeyObject } from 'node:crypto';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { keepSettings } from '../settings/keep-settings.ts';
import type { BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';
import { claimStorage } from './claim-storage.ts';
import { recordLocation, requireLocation } from './media-location.ts';
import { type MediaLocation, openCheckedStorage, openStorage } from '@renderkit/blob-storage/open-storage.ts';

/** Media with the rows that name them, for code that stores files outside the studio's requests. */
export type MediaStore = { database: Database; storage: BlobStorage; mediaKey: KeyObject };

/**
 * Opens a location and claims it, so that this studio's files are not stored among another studio's.
 * @throws ConfigError, also when this studio's media are kept elsewhere
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

/**
 * Opens a working location and claims it for this studio, whether its media are kept there or not. Throws when another
 * studio owns it. @throws ConfigError
 */
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

/**
 * Like `openOwnStorage`, for a part that keeps media there from now on. @throws ConfigError, also when media are kept
 * elsewhere
 */
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
