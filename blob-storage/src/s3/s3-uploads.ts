import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { MediaUnavailable } from '@renderkit/server-kit/files/file-errors.ts';
import type { S3Client } from './s3-client.ts';
import { readListing } from './s3-listing.ts';
import { readElements, readTag } from './s3-xml.ts';
import { piecesOf, type SpooledFile } from './spool.ts';

/** S3 accepts parts from 5 MiB, at most 10,000 of them. One upload keeps one part in memory. */
export const partBytes = 8 * 1024 * 1024;

/**
 * Header with the hash of all bytes of an object. The ETag of an object that was uploaded in parts is not such a hash.
 */
export const sha256Header = 'x-amz-meta-sha256';

/** Stores bytes as one object. */
export async function putBytes(
  client: S3Client,
  key: string,
  { bytes, sha256 }: { bytes: Uint8Array; sha256: string },
): Promise<void> {
  await client.text({ method: 'PUT', key, headers: { [sha256Header]: sha256 }, body: bytes });
}

/** Stores a file as one object, in parts if it is large. No reader sees any of it before the last request. */
export async function putFile(
  client: S3Client,
  key: string,
  { path, sizeBytes, sha256 }: SpooledFile,
): Promise<void> {
  await using handle = await open(path);
  const pieces = piecesOf(handle, sizeBytes, partBytes);
  if (sizeBytes > partBytes) return await putParts(client, key, { pieces, sha256 });
  for await (const bytes of sizeBytes === 0 ? [new Uint8Array()] : pieces)
    await putBytes(client, key, { bytes, sha256 });
}

async function putParts(
  client: S3Client,
  key: string,
  { pieces, sha256 }: { pieces: AsyncIterable<Uint8Array>; sha256: string },
): Promise<void> {
  const headers = { [sha256Header]: sha256 };
  const element = 'InitiateMultipartUploadResult';
  const begun = await client.text({ method: 'POST', key, query: { uploads: '' }, headers, element });
  const uploadId = readTag(begun ?? '', 'UploadId');
  if (uploadId === undefined) throw new Error('the S3 storage began an upload without an id');
  try {
    const etags: string[] = [];
    for await (const body of pieces) {
      const query = { partNumber: String(etags.length + 1), uploadId };
      const answer = await client.send({ method: 'PUT', key, query, body });
      await answer?.body.dump();
      const etag = answer?.header('etag');
      assert(etag !== undefined, 'the answer to a PUT of bytes has an ETag');
      etags.push(etag);
    }
    await completeUpload(client, key, uploadId, etags);
  } catch (error) {
    // If the upload cannot be aborted now, `removeUnfinishedUploads` does it later.
    await endUpload(client, key, uploadId).catch(() => undefined);
    throw error;
  }
}

async function completeUpload(
  client: S3Client,
  key: string,
  uploadId: string,
  etags: readonly string[],
): Promise<void> {
  const parts = etags.map((etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
  const headers = { 'content-type': 'application/xml' };
  const element = 'CompleteMultipartUploadResult';
  const answer = await client.text({ method: 'POST', key, query: { uploadId }, headers, body, element });
  // The answer to an earlier try may have been lost. Then the upload is gone and the object exists.
  if (answer === undefined && (await findObject(client, key)) === undefined)
    throw new Error('the S3 storage forgot an upload before it was complete');
}

async function endUpload(client: S3Client, key: string, uploadId: string): Promise<void> {
  await client.text({ method: 'DELETE', key, query: { uploadId } });
}

export type FoundObject = { sizeBytes: number; sha256: string | undefined };

/**
 * Returns `undefined` where there is no such object. A 404 to HEAD does not tell what is missing, so a GET must confirm
 * that the object is missing. @throws MediaUnavailable
 */
export async function findObject(client: S3Client, key: string): Promise<FoundObject | undefined> {
  const answer = (await client.send({ method: 'HEAD', key })) ?? (await client.send({ method: 'GET', key }));
  if (answer === undefined) return undefined;
  await answer.body.dump();
  const length = answer.header('content-length');
  if (length === undefined) throw new MediaUnavailable('the S3 storage does not say how long an object is');
  return { sizeBytes: Number(length), sha256: answer.header(sha256Header) };
}

/**
 * Aborts uploads that began before the time; their parts use space in the bucket but appear in no listing. Returns how
 * many.
 */
export async function removeUnfinishedUploads(client: S3Client, before: Date): Promise<number> {
  let removed = 0;
  for (let marker: Record<string, string> | undefined = {}; marker !== undefined;) {
    const page = await readListing(client, { uploads: '', ...marker }, 'ListMultipartUploadsResult');
    for (const upload of readElements(page, 'Upload')) {
      const key = readTag(upload, 'Key');
      const id = readTag(upload, 'UploadId');
      const begun = readTag(upload, 'Initiated');
      if (key === undefined || id === undefined || begun === undefined || new Date(begun) >= before) continue;
      await endUpload(client, key, id);
      removed++;
    }
    marker =
      readTag(page, 'IsTruncated') === 'true'
        ? {
            'key-marker': readTag(page, 'NextKeyMarker') ?? '',
            'upload-id-marker': readTag(page, 'NextUploadIdMarker') ?? '',
          }
        : undefined;
  }
  return removed;
}
