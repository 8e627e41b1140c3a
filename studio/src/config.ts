import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { type FileLimits, fileLimits } from '@renderkit/media-kit/file-limits.ts';
import { ConfigError, type Environment, readEnvironment } from '@renderkit/server-kit/process/config.ts';
import { type LogLevel, logLevels } from '@renderkit/server-kit/process/logger.ts';
import { parseSecretKey } from '@renderkit/server-kit/secrets.ts';
import { readBucket, readS3Config, type S3Config } from '@renderkit/blob-storage/s3/s3-config.ts';

/**
 * What Node is started with for a worker. It follows jobs by the hundred, each of which is sent once: without a bound the
 * pages that sending needed stay with the process. In megabytes.
 */
export const workerNodeOptions = ['--max-semi-space-size=4'] as const;

type Reader = ReturnType<typeof readEnvironment>;

export type StudioConfig = {
  databaseUrl: string;
  databasePool: number;
  host: string;
  /** 0 lets the system choose (tests). */
  port: number;
  /** What browsers and the service see; media links and the issuer begin with it. Undefined: where it listens. */
  publicUrl: string | undefined;
  /** The one client that the studio registers: the service. */
  client: {
    id: string;
    secret: string;
    /** What people know it by. */
    name: string;
    /** Where people use it; pages of the studio link back to it. */
    url: string | undefined;
    /** Where people sign in to it; the page after a reset of the password leads there. */
    signInUrl: string | undefined;
    /** Where browsers are sent back to after signing in; without one nobody can sign in by browser. */
    redirectUris: string[];
    /** The same after signing out. */
    logoutUris: string[];
  };
  /** Whether anybody who reaches the studio may make an account. */
  signUp: 'open' | 'closed';
  /** Media lie under `media/` unless a bucket keeps them, the moderation rules in `moderation.json`. */
  dataDirectory: string;
  /** The bucket that keeps media. */
  s3?: S3Config | undefined;
  /** `redirect`: whoever asks for media is sent on to the bucket. */
  mediaDelivery: 'proxy' | 'redirect';
  /** What nothing names is removed from the storage when it is this old. */
  mediaGraceSeconds: number;
  /** What uploads may have. */
  fileLimits: FileLimits;
  /** Encrypts the secrets of backends: 32 bytes, the same for all parts. */
  secretKey: Buffer;
  /** Addresses that providers name may lie in these networks, beside public ones. */
  egressAllow: string[];
  /** Opens /metrics to whoever sends it as a bearer token; without one only this machine may read it. */
  metricsToken: string | undefined;
  /** Where the variables stand that `backends.yaml` names. */
  variables: Environment;
  logLevel: LogLevel;
  /** Proxies (addresses or networks) whose X-Forwarded-For is believed. */
  trustProxy: string[];
};

export type WorkerConfig = {
  databaseUrl: string;
  dataDirectory: string;
  /** The bucket that keeps media; else they lie below the data directory. */
  s3?: S3Config | undefined;
  /** Renders at once, per queue. */
  workers: number;
  /** Names or labels of the engines on its own machine that it serves; none: all. */
  labels: string[];
  /** Opens the secrets of backends: 32 bytes, the same for all parts. */
  secretKey: Buffer;
  /** Addresses that providers name may lie in these networks, beside public ones. */
  egressAllow: string[];
  /** Where health and metrics are served. */
  host: string;
  /** Undefined: nowhere. 0 lets the system choose (tests). */
  port: number | undefined;
  /** Opens /metrics to whoever sends it as a bearer token; without one only this machine may read it. */
  metricsToken: string | undefined;
  logLevel: LogLevel;
};

/** Reads the studio's environment. @throws ConfigError with one sentence for the operator */
export function readStudioConfig(environment: Environment): StudioConfig {
  const read = readEnvironment(environment);
  checkFfmpegPath(environment);
  const client = readClient(read);
  return {
    databaseUrl: databaseUrl(environment),
    databasePool: read.integer('DATABASE_POOL', { min: 2, max: 500, default: 10 }),
    host: read.text('HOST') ?? '127.0.0.1',
    port: read.integer('STUDIO_PORT', { min: 0, max: 65_535, default: 8788 }),
    publicUrl: read.origin('STUDIO_PUBLIC_URL'),
    client,
    signUp: read.choice('STUDIO_SIGN_UP', ['open', 'closed'], 'closed'),
    dataDirectory: dataDirectory(environment),
    s3: readS3Config(read),
    ...readDelivery(read),
    fileLimits: lowerLimits(read),
    secretKey: secretKeyOf(read),
    egressAllow: read.networks('EGRESS_ALLOW'),
    metricsToken: read.text('METRICS_TOKEN'),
    variables: environment,
    logLevel: read.choice('LOG_LEVEL', logLevels, 'info'),
    trustProxy: read.networks('TRUST_PROXY'),
  };
}

/** Reads a render worker's environment. @throws ConfigError */
export function readWorkerConfig(environment: Environment): WorkerConfig {
  const read = readEnvironment(environment);
  checkFfmpegPath(environment);
  return {
    databaseUrl: databaseUrl(environment),
    dataDirectory: dataDirectory(environment),
    s3: readS3Config(read),
    workers: read.integer('WORKERS', { min: 1, max: 64, default: 1 }),
    labels: read.list('WORKER_LABELS'),
    secretKey: secretKeyOf(read),
    egressAllow: read.networks('EGRESS_ALLOW'),
    host: read.text('HOST') ?? '127.0.0.1',
    port: readPort(read),
    metricsToken: read.text('METRICS_TOKEN'),
    logLevel: read.choice('LOG_LEVEL', logLevels, 'info'),
  };
}

/** The bucket that media are kept in; undefined where that is the disk. @throws ConfigError */
export function readMediaBucket(environment: Environment): S3Config | undefined {
  return readS3Config(readEnvironment(environment));
}

/** Reads the bucket that is named, whether media are kept in it or not. @throws ConfigError */
export function readBucketOf(environment: Environment): S3Config {
  return readBucket(readEnvironment(environment));
}

/** From which age on what nothing names is removed from the storage, in seconds. @throws ConfigError */
export function readMediaGrace(environment: Environment): number {
  return readDelivery(readEnvironment(environment)).mediaGraceSeconds;
}

/** Without one a worker listens nowhere. */
function readPort(read: Reader): number | undefined {
  if (read.text('WORKER_PORT') === undefined) return undefined;
  return read.integer('WORKER_PORT', { min: 0, max: 65_535, default: 0 });
}

/** Reads where the studio's database is. @throws ConfigError */
export function databaseUrl(environment: Environment): string {
  const url = readEnvironment(environment).databaseUrl('STUDIO_DATABASE_URL');
  if (url === undefined)
    throw new ConfigError(
      "STUDIO_DATABASE_URL is not set: it must be the address of the studio's PostgreSQL database.",
    );
  return url;
}

function dataDirectory(environment: Environment): string {
  return path.resolve(readEnvironment(environment).text('DATA_DIR') ?? '.data');
}

const daySeconds = 24 * 60 * 60;

function readDelivery(read: Reader): Pick<StudioConfig, 'mediaDelivery' | 'mediaGraceSeconds'> {
  const mediaDelivery = read.choice('MEDIA_DELIVERY', ['proxy', 'redirect'], 'proxy');
  if (mediaDelivery === 'redirect' && read.text('MEDIA_STORE') !== 's3')
    throw new ConfigError(
      'MEDIA_DELIVERY is redirect, but MEDIA_STORE is not s3: media on a disk have no other address.',
    );
  return {
    mediaDelivery,
    mediaGraceSeconds: read.integer('MEDIA_GRACE_SECONDS', {
      min: 60,
      max: 365 * daySeconds,
      default: 2 * daySeconds,
    }),
  };
}

const secretKeyShape =
  '32 random bytes as 64 hexadecimal characters, the same for all parts (openssl rand -hex 32 makes one)';

function secretKeyOf(read: Reader): Buffer {
  const key = parseSecretKey(read.required('SECRET_KEY', secretKeyShape));
  // The value is a secret, right or wrong: it is not repeated.
  if (key === undefined)
    throw new ConfigError(`SECRET_KEY has the wrong shape: it must be ${secretKeyShape}.`);
  return key;
}

function readClient(read: Reader): StudioConfig['client'] {
  const secret = read.required('STUDIO_CLIENT_SECRET', 'a secret of 16 characters or more');
  if (secret.length < 16)
    throw new ConfigError('STUDIO_CLIENT_SECRET is too short: it must have 16 characters or more.');
  const [url] = addresses(read, 'STUDIO_CLIENT_URL');
  const [signInUrl] = addresses(read, 'STUDIO_CLIENT_SIGN_IN_URL');
  return {
    id: read.text('STUDIO_CLIENT_ID') ?? 'renderkit-service',
    secret,
    name: read.text('STUDIO_CLIENT_NAME') ?? 'Renderkit',
    url,
    signInUrl,
    redirectUris: addresses(read, 'STUDIO_CLIENT_REDIRECT_URIS'),
    logoutUris: addresses(read, 'STUDIO_CLIENT_LOGOUT_URIS'),
  };
}

/** Addresses are held against what a request says letter by letter, and so are kept as they were written. */
function addresses(read: Reader, name: string): string[] {
  const list = read.list(name);
  for (const address of list) {
    const url = URL.parse(address);
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || address.includes('#'))
      throw new ConfigError(
        `${name} holds ${JSON.stringify(address)}, but it must be http or https addresses without a fragment, separated by commas.`,
      );
  }
  return list;
}

/** media-kit uses it, in whatever process; a wrong one ends the start. */
function checkFfmpegPath(environment: Environment): void {
  const ffmpeg = readEnvironment(environment).text('FFMPEG_PATH');
  if (ffmpeg === undefined) return;
  try {
    accessSync(ffmpeg, constants.X_OK);
  } catch (cause) {
    throw new ConfigError(
      `FFMPEG_PATH is ${JSON.stringify(ffmpeg)}, but it must be the path of an ffmpeg program that may be run.`,
      { cause },
    );
  }
}

const megabyte = 1024 * 1024;
const megapixel = 1_000_000;

/** An operator may set tighter limits; what decodes files has its memory for those that are built in. */
function lowerLimits(read: Reader): FileLimits {
  const lower = (name: string, unit: number, max: number) =>
    unit * read.integer(name, { min: 1, max: max / unit, default: max / unit });
  return {
    ...fileLimits,
    imageBytes: lower('UPLOAD_IMAGE_MB', megabyte, fileLimits.imageBytes),
    imagePixels: lower('UPLOAD_IMAGE_MEGAPIXELS', megapixel, fileLimits.imagePixels),
    videoBytes: lower('UPLOAD_VIDEO_MB', megabyte, fileLimits.videoBytes),
    videoSeconds: lower('UPLOAD_VIDEO_SECONDS', 1, fileLimits.videoSeconds),
    audioBytes: lower('UPLOAD_AUDIO_MB', megabyte, fileLimits.audioBytes),
  };
}
