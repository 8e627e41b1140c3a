import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { type FileLimits, fileLimits } from '@renderkit/media-kit/file-limits.ts';
import { ConfigError, type Environment, readEnvironment } from '@renderkit/server-kit/process/config.ts';
import { type LogLevel, logLevels } from '@renderkit/server-kit/process/logger.ts';
import { parseSecretKey } from '@renderkit/server-kit/secrets.ts';
import { readBucket, readS3Config, type S3Config } from '@renderkit/blob-storage/s3/s3-config.ts';

/**
 * Node's options for a worker, in megabytes. A worker follows hundreds of jobs and sends each only once. Without this
 * limit, the process keeps the memory pages that sending needed.
 */
export const workerNodeOptions = ['--max-semi-space-size=4'] as const;

type Reader = ReturnType<typeof readEnvironment>;

export type StudioConfig = {
  databaseUrl: string;
  databasePool: number;
  host: string;
  /** 0 lets the system choose (tests). */
  port: number;
  /**
   * The URL that browsers and the service use; media links and the issuer begin with it. `undefined`: the address on
   * which the studio listens.
   */
  publicUrl: string | undefined;
  /** The one client that the studio registers: the service. */
  client: {
    id: string;
    secret: string;
    /** The name shown to people. */
    name: string;
    /** Where people use the client; pages of the studio link back to it. */
    url: string | undefined;
    /** Where people sign in to the client; the page after a password reset links there. */
    signInUrl: string | undefined;
    /** Where browsers are sent back to after signing in. If empty, nobody can sign in by browser. */
    redirectUris: string[];
    /** Where browsers are sent back to after signing out. */
    logoutUris: string[];
  };
  /**
   * Whether anybody who reaches the studio may make an account. `identity/src/sign-in/handlers.ts` refuses the form if
   * `closed`.
   */
  signUp: 'open' | 'closed';
  /** Holds `moderation.json`, and media under `media/` unless a bucket keeps them. */
  dataDirectory: string;
  /** The bucket that keeps media. */
  s3?: S3Config | undefined;
  /** `redirect`: media requests are redirected to the bucket. Applied by `studio/src/storage/routes.ts`. */
  mediaDelivery: 'proxy' | 'redirect';
  /**
   * The age at which files that no row names are removed from the storage. Applied by
   * `studio/src/storage/reconcile-media.ts`.
   */
  mediaGraceSeconds: number;
  /** The limits of uploaded files. */
  fileLimits: FileLimits;
  /** Encrypts the secrets of backends: 32 bytes, the same for all parts. */
  secretKey: Buffer;
  /** Providers may name addresses in these networks, in addition to public addresses. */
  egressAllow: string[];
  /** A bearer token with this value opens /metrics. `undefined`: only this machine may read /metrics. */
  metricsToken: string | undefined;
  /** The variables that `backends.yaml` names. */
  variables: Environment;
  logLevel: LogLevel;
  /** Proxies (addresses or networks) whose X-Forwarded-For is believed. */
  trustProxy: string[];
};

export type WorkerConfig = {
  databaseUrl: string;
  dataDirectory: string;
  /** The bucket that keeps media. `undefined`: media lie below the data directory. */
  s3?: S3Config | undefined;
  /** The number of renders at once, per queue. */
  workers: number;
  /**
   * Names or labels of the engines on this machine that the worker serves. Empty: all. Applied by `findServed` in
   * `studio/src/backends/claim-queries.ts`.
   */
  labels: string[];
  /** Decrypts the secrets of backends: 32 bytes, the same for all parts. */
  secretKey: Buffer;
  /** Providers may name addresses in these networks, in addition to public addresses. */
  egressAllow: string[];
  /** Where health and metrics are served. */
  host: string;
  /** `undefined`: not served. 0 lets the system choose (tests). */
  port: number | undefined;
  /** A bearer token with this value opens /metrics. `undefined`: only this machine may read /metrics. */
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

/** Returns the bucket that keeps media; `undefined` when the disk keeps them. @throws ConfigError */
export function readMediaBucket(environment: Environment): S3Config | undefined {
  return readS3Config(readEnvironment(environment));
}

/** Reads the settings of the bucket, whether media are kept in it or not. @throws ConfigError */
export function readBucketOf(environment: Environment): S3Config {
  return readBucket(readEnvironment(environment));
}

/** Returns the age in seconds at which files that no row names are removed from the storage. @throws ConfigError */
export function readMediaGrace(environment: Environment): number {
  return readDelivery(readEnvironment(environment)).mediaGraceSeconds;
}

/** Without WORKER_PORT, a worker does not listen. */
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
  // The value is a secret, even a wrong one, so the message does not repeat it.
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

/** Returns addresses as they were written: they are compared with requests character by character. */
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

/** Checks the path at startup, since every process that uses media-kit runs this program. @throws ConfigError */
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

/**
 * Reads the operator's limits. They can only be tighter than the built-in ones, for which the decoders have enough
 * memory.
 */
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
