import { openS3BlobStorage } from '../s3/s3-blob-storage.ts';
import { startS3Counterpart } from './s3-counterpart.ts';

/** Opens a storage with an empty bucket on its own server. Failed requests are retried almost at once. */
export async function openEmptyBucket() {
  await using owned = new AsyncDisposableStack();
  const server = owned.use(await startS3Counterpart());
  const storage = owned.use(openS3BlobStorage(server.config, [1, 1, 1]));
  const ours = owned.move();
  return { ...storage, server, [Symbol.asyncDispose]: () => ours.disposeAsync() };
}
