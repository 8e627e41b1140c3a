import { mapInSlots } from '@renderkit/server-kit/work/map-in-slots.ts';
import type { BlobStorage } from './blob-storage.ts';

/** A blob in a form that can be compared later. The hash is `null` where the storage does not have it. */
export type HashedBlob = { key: string; size_bytes: number; sha256: string | null };

const looksAtOnce = 16;

/**
 * Lists all blobs in pages, with the SHA-256 that was stored with each. `stack/src/operator/backup.ts` writes them into
 * a backup.
 */
export async function* listHashes(storage: BlobStorage): AsyncGenerator<HashedBlob[]> {
  for await (const page of storage.list()) {
    const blobs = await mapInSlots(looksAtOnce, page, async ({ key }) => {
      const blob = await storage.open(key);
      return blob && { key, size_bytes: blob.sizeBytes, sha256: blob.sha256 ?? null };
    });
    yield blobs.filter((blob) => blob !== undefined);
  }
}
