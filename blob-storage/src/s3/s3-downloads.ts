import { Readable } from 'node:stream';
import { MediaUnavailable } from '@renderkit/server-kit/files/file-errors.ts';
import { BlobMissing } from '../blob-storage.ts';
import type { S3Client } from './s3-client.ts';
import type { FoundObject } from './s3-uploads.ts';
import { spool, type SpooledFile } from './spool.ts';

/** How often a stream that broke off is resumed without receiving a byte in between. */
const maxResumes = 4;

/** Milliseconds to keep a connection for a reader that takes no bytes, such as a paused film. */
const idleMs = 5_000;

/**
 * Returns the bytes from `start` to `end`, both included, as a stream. A stream that breaks off is resumed at the same
 * position, because a blob never changes. A paused stream is resumed too, and holds no connection meanwhile.
 */
export function readObject(
  client: S3Client,
  key: string,
  range: { start: number; end: number },
  releaseAfterMs = idleMs,
): Readable {
  return Readable.from(chunksOf(client, key, range, releaseAfterMs), { objectMode: false });
}

async function* chunksOf(
  client: S3Client,
  key: string,
  { start, end }: { start: number; end: number },
  releaseAfterMs: number,
): AsyncGenerator<Buffer> {
  let at = start;
  let resumes = 0;
  while (at <= end) {
    const headers = { range: `bytes=${at}-${end}` };
    const answer = await client.send({ method: 'GET', key, headers, isForReader: true });
    if (answer === undefined) throw new BlobMissing(key);
    if (answer.status !== 206 && (at > 0 || Number(answer.header('content-length')) !== end + 1))
      throw new MediaUnavailable('the S3 storage does not answer for parts of an object');
    const before = at;
    let isReleased = false;
    const release = () => {
      isReleased = true;
      answer.body.destroy();
    };
    try {
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        at += chunk.length;
        const timer = setTimeout(release, releaseAfterMs);
        try {
          yield chunk;
        } finally {
          clearTimeout(timer);
        }
        if (isReleased) break;
      }
    } catch (error) {
      if (isReleased) continue;
      if (at > before) resumes = 0;
      if (++resumes > maxResumes)
        throw new MediaUnavailable('the S3 storage cut an object again and again', { cause: error });
    }
  }
}

/** Number of fetches before giving up. */
const maxFetches = 3;

/**
 * Fetches a whole object into a temporary file with this name, and compares its hash with the stored one.
 * @throws BlobMissing
 * @throws MediaUnavailable where every fetch returned other bytes
 */
export async function fetchObject(
  client: S3Client,
  key: string,
  { found, name }: { found: FoundObject; name: string },
): Promise<SpooledFile> {
  for (let fetches = 1; ; fetches++) {
    const whole = { start: 0, end: found.sizeBytes - 1 };
    const file = await spool(readObject(client, key, whole), name);
    if (found.sha256 === undefined || file.sha256 === found.sha256) return file;
    await file[Symbol.asyncDispose]();
    if (fetches === maxFetches)
      throw new MediaUnavailable(`the S3 storage gives other bytes of ${key} than were stored`);
  }
}
