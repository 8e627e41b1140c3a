import type { KeyObject } from 'node:crypto';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { keepSettings } from '../settings/keep-settings.ts';
import type { BlobStorage } from './blob-storage.ts';
import { claimStorage, type MediaPlace, openStorage } from './open-storage.ts';

/** Media with the rows that name them, for whoever stores some beside the studio's own requests. */
export type MediaStore = { database: Database; storage: BlobStorage; mediaKey: KeyObject };

/** Whoever stores in a place claims it first: media of another studio get none of this one's among them. @throws ConfigError */
export async function openMedia(database: Database, place: MediaPlace): Promise<MediaStore> {
  const { mediaKey, studioId } = await keepSettings(database);
  const storage = await openStorage(place);
  try {
    await claimStorage(storage, studioId, { ...place, databaseUrl: database.url });
  } catch (error) {
    await storage[Symbol.asyncDispose]();
    throw error;
  }
  return { database, storage, mediaKey };
}
