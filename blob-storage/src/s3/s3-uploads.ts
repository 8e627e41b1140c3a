import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { MediaUnavailable } from '@renderkit/server-kit/files/file-errors.ts';
import type { S3Client } from './s3-client.ts';
import { readListing } from './s3-listing.ts';
import { readElements, readTag } from './s3-xml.ts';
import { piecesOf, type SpooledFile } from './spool.ts';

/** S3 takes parts from 5 MiB on, 10,000 at most. One upload holds one part in memory. */
export const partBytes = 8 * 1024 * 1024;

/** Where an object says what all of its bytes hash to: an ETag is no hash of them where they came in parts. */
export const sha256Header = 'x-amz-meta-sha256';

/** Stores bytes as one object. */
export async function putBytes(
  client: S3Client,
  key: string,
  { bytes, sha256 }: { bytes: Uint8Array; sha256: string },
): Promise<void> {
  await client.text({ method: 'PUT', key, headers: { [sha256Header]: sha256 }, body: bytes });
}

/** Stores a file as one object, in parts where it is large. Until the last request nobody sees any of it. */
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
    // What cannot be ended now is ended by `removeUnfinishedUploads`.
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
  // The answer to a try before this one may have been lost: then the upload is gone and the object there.
  if (answer === undefined && (await findObject(client, key)) === undefined)
    throw new Error('the S3 storage forgot an upload before it was complete');
}

async function endUpload(client: S3Client, key: string, uploadId: string): Promise<void> {
  await client.text({ method: 'DELETE', key, query: { uploadId } });
}

export type FoundObject = { sizeBytes: number; sha256: string | undefined };

/**
 * Undefined where there is no such object. An answer to HEAD has no word for what there is none of: before an object is taken
 * for gone, GET has to say that it is the object that is missing. @throws MediaUnavailable
 */
export async function findObject(client: S3Client, key: string): Promise<FoundObject | undefined> {
  const answer = (await client.send({ method: 'HEAD', key })) ?? (await client.send({ method: 'GET', key }));
  if (answer === undefined) return undefined;
  await answer.body.dump();
  const length = answer.header('content-length');
  if (length === undefined) throw new MediaUnavailable('the S3 storage does not say how long an object is');
  return { sizeBytes: Number(length), sha256: answer.header(sha256Header) };
}

/** Ends uploads that were begun before the time; their parts lie in the bucket and in no listing. Returns how many. */
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
