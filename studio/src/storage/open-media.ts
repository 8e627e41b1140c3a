import type { KeyObject } from 'node:crypto';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { keepSettings } from '../settings/keep-settings.ts';
import type { BlobStorage } from './blob-storage.ts';
import { openDiskBlobStorage } from './disk-blob-storage.ts';

/** Media with the rows that name them, for whoever stores some beside the studio's own requests. */
export type MediaStore = { database: Database; storage: BlobStorage; mediaKey: KeyObject };

/** `dataDirectory` is the studio's. */
export async function openMedia(database: Database, dataDirectory: string): Promise<MediaStore> {
  const { mediaKey } = await keepSettings(database);
  return { database, storage: await openDiskBlobStorage(dataDirectory), mediaKey };
}
