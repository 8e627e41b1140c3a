import { randomBytes } from 'node:crypto';
import { mediaDirectory } from '../disk-blob-storage.ts';
import type { MediaLocation } from '../open-storage.ts';
import { openS3BlobStorage } from '../s3/s3-blob-storage.ts';
import { openS3Client } from '../s3/s3-client.ts';
import type { S3Config } from '../s3/s3-config.ts';
import { readElements, readTag } from '../s3/s3-xml.ts';
import { listKeys } from './list-keys.ts';
import { startS3Counterpart } from './s3-counterpart.ts';

/**
 * Opens the media store of one test, by default the one that `--media-store` selects for the run. Returns `undefined`
 * for the disk, else a new bucket. The bucket is on the counterpart, or on the server that `TEST_S3` describes (an
 * `S3Config` without its bucket, as JSON).
 */
export async function openTestMedia(
  owners: AsyncDisposableStack,
  store = process.env['TEST_MEDIA_STORE'],
): Promise<S3Config | undefined> {
  if (store !== 's3') return undefined;
  const server = process.env['TEST_S3'];
  if (server === undefined) return owners.use(await startS3Counterpart()).config;
  const bucket = `media-${randomBytes(8).toString('hex')}`;
  const config: S3Config = { ...(JSON.parse(server) as Omit<S3Config, 'bucket'>), bucket };
  await using client = openS3Client(config);
  await client.text({ method: 'PUT' });
  return config;
}

/**
 * Returns the environment variables that a part of the studio needs for such a store, in addition to its data
 * directory.
 */
export function mediaEnvironment({ s3 }: Pick<MediaLocation, 's3'>): Record<string, string> {
  if (s3 === undefined) return {};
  return {
    MEDIA_STORE: 's3',
    S3_ENDPOINT: s3.endpoint,
    S3_BUCKET: s3.bucket,
    S3_REGION: s3.region,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    S3_PATH_STYLE: s3.pathStyle ? 'on' : 'off',
  };
}

/** Returns all keys of a store, including half-written files on a disk and unfinished uploads in a bucket. */
export async function listMediaKeys({ dataDirectory, s3 }: MediaLocation): Promise<string[]> {
  if (s3 === undefined) return listKeys(mediaDirectory(dataDirectory));
  await using storage = openS3BlobStorage(s3);
  await using client = openS3Client(s3);
  const unfinished = readElements(
    (await client.text({ method: 'GET', query: { uploads: '' } })) ?? '',
    'Upload',
  );
  const blobs = (await Array.fromAsync(storage.list())).flat();
  return [...blobs.map(({ key }) => key), ...unfinished.map((one) => readTag(one, 'Key') ?? '')].sort();
}
