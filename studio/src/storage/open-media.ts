import type { KeyObject } from 'node:crypto';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { keepSettings } from '../settings/keep-settings.ts';
import type { BlobStorage } from './blob-storage.ts';
import { type MediaPlace, openStorage } from './open-storage.ts';

/** Media with the rows that name them, for whoever stores some beside the studio's own requests. */
export type MediaStore = { database: Database; storage: BlobStorage; mediaKey: KeyObject };

export async function openMedia(database: Database, place: MediaPlace): Promise<MediaStore> {
  const { mediaKey } = await keepSettings(database);
  return { database, storage: await openStorage(place), mediaKey };
}
