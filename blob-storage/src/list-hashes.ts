import { createLimiter } from '@renderkit/server-kit/work/limiter.ts';
import type { BlobStorage } from './blob-storage.ts';

/** A blob as it can be compared later. The hash is null where the storage does not know it. */
export type HashedBlob = { key: string; size_bytes: number; sha256: string | null };

const looksAtOnce = 16;

/** Every blob with the SHA-256 that was stored with it, by pages. */
export async function* listHashes(storage: BlobStorage): AsyncGenerator<HashedBlob[]> {
  for await (const page of storage.list()) {
    const limiter = createLimiter({ slots: looksAtOnce });
    const looks = page.map(async ({ key }) => {
      using _ = await limiter.enter();
      const blob = await storage.open(key);
      return blob && { key, size_bytes: blob.sizeBytes, sha256: blob.sha256 ?? null };
    });
    yield (await Promise.all(looks)).filter((blob) => blob !== undefined);
  }
}
