import { createHash, randomBytes } from 'node:crypto';
import { isMediaUnavailable, MediaUnavailable } from '@renderkit/server-kit/files/file-errors.ts';
import {
  BlobMissing,
  type BlobStorage,
  type Chunks,
  type ListedBlob,
  partsOf,
  requireFolder,
  requireKey,
} from '../blob-storage.ts';
import { claimBucket } from './claim-bucket.ts';
import { openS3Client, retryDelaysMs, type S3Client } from './s3-client.ts';
import type { S3Config } from './s3-config.ts';
import { fetchObject, readObject } from './s3-downloads.ts';
import { findObject, partBytes, putBytes, putFile, removeUnfinishedUploads } from './s3-uploads.ts';
import { listObjects, readListing } from './s3-listing.ts';
import { spool } from './spool.ts';

/**
 * Opens a storage of blobs as objects of one bucket, under their keys. A file of unknown length is first written to a
 * temporary file on this machine. Its hash is stored with the object, so the hash must be known before.
 */
export function openS3BlobStorage(
  config: S3Config,
  delaysMs: readonly number[] = retryDelaysMs,
): BlobStorage & AsyncDisposable {
  /** Whether an object was written and read, and nothing has failed since. */
  let isProven = false;
  const client = watchUnavailable(openS3Client(config, delaysMs), () => (isProven = false));
  const probeKey = `renderkit-probe-${randomBytes(8).toString('hex')}`;
  return {
    put: async (key, chunks) => {
      requireKey(key);
      return { sizeBytes: await putChunks(client, key, chunks) };
    },
    receive: async (folder, chunks) => {
      requireFolder(folder);
      const file = await spool(chunks);
      return {
        sizeBytes: file.sizeBytes,
        withLocalFile: (use) => use(file.path),
        keep: async (name) => {
          const key = `${folder}/${name}`;
          requireKey(key);
          await putFile(client, key, file);
          return key;
        },
        [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
      };
    },
    open: async (key) => {
      const found = partsOf(key) && (await findObject(client, key));
      if (found === undefined) return undefined;
      const whole = { start: 0, end: found.sizeBytes - 1 };
      return { ...found, read: (range = whole) => readObject(client, key, range) };
    },
    withLocalFile: async (key, use) => {
      const parts = partsOf(key);
      const found = parts && (await findObject(client, key));
      if (parts === undefined || found === undefined) throw new BlobMissing(key);
      await using file = await fetchObject(client, key, { found, name: parts.name });
      return await use(file.path);
    },
    removeFolder: async (folder, signal) => {
      requireFolder(folder);
      for await (const page of listObjects(client, `${folder}/`))
        for (const { key } of page) await client.text({ method: 'DELETE', key, ...(signal && { signal }) });
    },
    list: () => listBlobs(client),
    removeUnfinished: (before) => removeUnfinishedUploads(client, before),
    claim: (owner) => claimBucket(client, owner),
    check: async () => {
      await readListing(client, { 'list-type': '2', 'max-keys': '1' }, 'ListBucketResult');
      if (isProven) return;
      await tryToWrite(client, probeKey);
      isProven = true;
    },
    publicUrl: (key, { contentType, disposition, cacheControl }, seconds) =>
      client.presign(
        key,
        {
          'response-content-type': contentType,
          'response-content-disposition': disposition,
          'response-cache-control': cacheControl,
        },
        seconds,
      ),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** Stores chunks as an object. Chunks that fit into one part need no temporary file. Returns the number of bytes. */
async function putChunks(client: S3Client, key: string, chunks: Chunks): Promise<number> {
  if (Array.isArray(chunks) && chunks.reduce((sum, { length }) => sum + length, 0) <= partBytes) {
    const bytes = chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
    await putBytes(client, key, { bytes, sha256: createHash('sha256').update(bytes).digest('hex') });
    return bytes.length;
  }
  await using file = await spool(chunks);
  await putFile(client, key, file);
  return file.sizeBytes;
}

/** Lists our blobs; other objects in the bucket are left out. */
async function* listBlobs(client: S3Client): AsyncGenerator<ListedBlob[]> {
  for await (const page of listObjects(client)) yield page.filter(({ key }) => partsOf(key) !== undefined);
}

const probeText = Buffer.from('Renderkit tries whether it can write here.\n');

/**
 * Writes, reads and deletes an object, because permission to list does not include these. In a bucket with versions the
 * object remains as a version, so this is done rarely. It always uses the same key, in case the object cannot be
 * deleted.
 */
async function tryToWrite(client: S3Client, key: string): Promise<void> {
  await client.text({ method: 'PUT', key, body: probeText });
  const read = await client.text({ method: 'GET', key });
  await client.text({ method: 'DELETE', key });
  if (read !== probeText.toString())
    throw new MediaUnavailable('the S3 storage does not give back what was written there');
}

/** Returns the same client, which also calls `onUnavailable` when a request failed after all retries. */
function watchUnavailable(client: S3Client, onUnavailable: () => void): S3Client {
  const watch = <T>(answer: Promise<T>) =>
    answer.catch((error: unknown) => {
      if (isMediaUnavailable(error)) onUnavailable();
      throw error;
    });
  return {
    ...client,
    send: (request) => watch(client.send(request)),
    text: (request) => watch(client.text(request)),
  };
}
