import type { KeyObject } from 'node:crypto';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { keepSettings } from '../settings/keep-settings.ts';
import type { BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';
import { claimStorage } from './claim-storage.ts';
import { recordPlace, requirePlace } from './media-place.ts';
import { type MediaPlace, openCheckedStorage, openStorage } from '@renderkit/blob-storage/open-storage.ts';

/** Media with the rows that name them, for whoever stores some beside the studio's own requests. */
export type MediaStore = { database: Database; storage: BlobStorage; mediaKey: KeyObject };

/**
 * Whoever stores in a place claims it first: media of another studio get none of this one's among them.
 * @throws ConfigError, also where this studio's media are kept elsewhere
 */
export async function openMedia(database: Database, place: MediaPlace): Promise<MediaStore> {
  const { mediaKey, studioId } = await keepSettings(database);
  await requirePlace(database, place);
  const storage = await openStorage(place);
  try {
    await claimStorage(storage, studioId, { ...place, databaseUrl: database.url });
  } catch (error) {
    await storage[Symbol.asyncDispose]();
    throw error;
  }
  return { database, storage, mediaKey };
}

/** Opens a place that serves and is this studio's, or nobody's until now, whether its media are kept there or not. @throws ConfigError */
export async function openOwnStorage(
  database: Database,
  place: MediaPlace,
): Promise<BlobStorage & AsyncDisposable> {
  const { studioId } = await keepSettings(database);
  await using owned = new AsyncDisposableStack();
  const storage = owned.use(await openCheckedStorage(place));
  await claimStorage(storage, studioId, { ...place, databaseUrl: database.url });
  owned.move();
  return storage;
}

/** The same for a part, which keeps media there from now on. @throws ConfigError, also where they are kept elsewhere */
export async function openPartStorage(
  database: Database,
  place: MediaPlace,
): Promise<BlobStorage & AsyncDisposable> {
  await requirePlace(database, place);
  await using owned = new AsyncDisposableStack();
  const storage = owned.use(await openOwnStorage(database, place));
  await recordPlace(database, place);
  owned.move();
  return storage;
}
