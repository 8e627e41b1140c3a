import type { KeyObject } from 'node:crypto';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { BlobStorage, Chunks } from '@renderkit/blob-storage/blob-storage.ts';
import { keepFiles } from '../storage/keep-files.ts';
import { aspectRatioOf } from './aspect-ratio.ts';
import { type InsertedAsset, insertAsset, type NewAsset } from './store.ts';

export type ItemDependencies = {
  database: Database;
  storage: BlobStorage;
  mediaKey: KeyObject;
  stopping: AbortSignal;
};

/**
 * Stores a file and its thumbnail as an item of a library. Keeps neither file if the item is not stored. @throws
 * StudioError `storage_full`
 */
export async function keepItem(
  item: Omit<NewAsset, 'id' | 'key' | 'thumbKey' | 'sizeBytes' | 'aspectRatio'>,
  file: { extension: string; chunks: Chunks; thumbnail: Uint8Array },
  dependencies: ItemDependencies,
): Promise<InsertedAsset> {
  const id = newId('ast_');
  const files = {
    media: { name: `${id}.${file.extension}`, chunks: file.chunks },
    thumbnail: { name: 'thumb.webp', chunks: [file.thumbnail] },
  };
  const { inserted } = await keepFiles({ owner: id, files }, dependencies, async (transaction, kept) => {
    const { key, sizeBytes } = kept.media;
    const asset = {
      ...item,
      id,
      key,
      thumbKey: kept.thumbnail.key,
      sizeBytes,
      aspectRatio: aspectRatioOf(item),
    };
    const outcome = await insertAsset(transaction, asset);
    return { named: outcome.outcome === 'stored', inserted: outcome };
  });
  return inserted;
}
