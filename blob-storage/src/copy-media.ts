import { mapInSlots } from '@renderkit/server-kit/work/map-in-slots.ts';
import type { BlobStorage, ListedBlob } from './blob-storage.ts';

export type MediaCopy = {
  /** Blobs that were copied now. */
  copied: number;
  bytes: number;
  /** Blobs that both storages have, according to the last round so far. */
  files: number;
};

const copiesAtOnce = 4;

/**
 * Copies every blob from one storage to another under the same key, while other processes use both. After a kill, the
 * next call continues where this one stopped: a blob exists completely or not at all, and never changes. Ends when a
 * round over all blobs finds nothing new. `allowLocation` in `studio/src/storage/media-location.ts` then lets parts use
 * the other storage.
 */
export async function copyMedia(
  from: BlobStorage,
  to: BlobStorage,
  { onPage }: { onPage?: (so: MediaCopy) => void } = {},
): Promise<MediaCopy> {
  const sum: MediaCopy = { copied: 0, bytes: 0, files: 0 };
  for (;;) {
    const before = sum.copied;
    sum.files = 0;
    for await (const page of from.list()) {
      const outcomes = await mapInSlots(copiesAtOnce, page, (blob) => copyBlob(blob, from, to));
      for (const outcome of outcomes) {
        if (outcome !== 'gone') sum.files++;
        if (typeof outcome !== 'object') continue;
        sum.copied++;
        sum.bytes += outcome.sizeBytes;
      }
      onPage?.(sum);
    }
    if (sum.copied === before) return sum;
  }
}

async function copyBlob(
  { key, sizeBytes }: ListedBlob,
  from: BlobStorage,
  to: BlobStorage,
): Promise<{ sizeBytes: number } | 'present' | 'gone'> {
  const there = await to.open(key);
  if (there?.sizeBytes === sizeBytes) return 'present';
  const source = await from.open(key);
  return source === undefined ? 'gone' : to.put(key, source.read());
}
