import { ConfigError, type readEnvironment } from '@renderkit/server-kit/process/config.ts';

/** A bucket of an S3-compatible storage, and its access key. */
export type S3Config = {
  /** Scheme, host and port. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** `true`: `endpoint/bucket/key`. `false`: `bucket.endpoint/key`, which needs a host name for each bucket. */
  pathStyle: boolean;
};

const bucketShape = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** Returns `undefined` where `MEDIA_STORE` is `disk`, which is the default. @throws ConfigError */
export function readS3Config(read: ReturnType<typeof readEnvironment>): S3Config | undefined {
  if (read.choice('MEDIA_STORE', ['disk', 's3'], 'disk') === 'disk') return undefined;
  return readBucket(read);
}

/** Returns the bucket that the environment names, even if no media are stored in it yet. @throws ConfigError */
export function readBucket(read: ReturnType<typeof readEnvironment>): S3Config {
  const endpoint = read.origin('S3_ENDPOINT');
  if (endpoint === undefined)
    throw new ConfigError(
      'S3_ENDPOINT is not set: it must be the address of the S3 storage, such as https://s3.example.org.',
    );
  const bucket = read.required('S3_BUCKET', 'the name of a bucket');
  if (!bucketShape.test(bucket)) read.fail('S3_BUCKET', bucket, 'the name of a bucket');
  return {
    endpoint,
    bucket,
    region: read.text('S3_REGION') ?? 'us-east-1',
    accessKeyId: read.required('S3_ACCESS_KEY_ID', 'the id of an access key'),
    secretAccessKey: read.required('S3_SECRET_ACCESS_KEY', 'the secret of that access key'),
    pathStyle: read.choice('S3_PATH_STYLE', ['on', 'off'], 'on') === 'on',
  };
}
