import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { queuedPerAccountDefault } from '@renderkit/contract/v1/limits.ts';
import { parseCidrs } from '@renderkit/egress/public-address.ts';
import { ConfigError, type Environment, readEnvironment } from '@renderkit/server-kit/process/config.ts';
import { type LogLevel, logLevels } from '@renderkit/server-kit/process/logger.ts';
import { parseSecretKey } from '@renderkit/server-kit/secrets.ts';
import { type FacadeName, facadeNames } from './facades/facade-names.ts';

/**
 * Node options for a service process. A burst of a thousand held requests filled V8's young generation to three times
 * its limit of 16 MB. With this limit the process needs half the memory, and a read needs some 2 % more CPU. In
 * megabytes.
 */
export const serviceNodeOptions = ['--max-semi-space-size=8'] as const;

/** Everything that can be configured from outside. Addresses have no trailing slash. */
export type ServiceConfig = {
  databaseUrl: string;
  /** The most connections to the database. */
  databasePool: number;
  host: string;
  /** 0: the operating system chooses a free port. */
  port: number;
  /** The address at which clients reach the service. */
  publicUrl: string;
  /** The address at which the service reaches the studio. */
  studioUrl: string;
  /** The address at which browsers reach the studio. Addresses of outputs may begin with it. */
  studioPublicUrl: string;
  /**
   * The address to which the studio redirects requests for media (`MEDIA_DELIVERY`). The console's pages may show media
   * from there.
   */
  mediaOrigin?: string;
  studioClientId: string;
  studioClientSecret: string;
  /** 32 bytes. */
  secretKey: Buffer;
  /** CIDRs that the service may fetch from although they are not public. */
  egressAllow: string[];
  /** Proxies (addresses or CIDRs) whose X-Forwarded-* headers are trusted. */
  trustProxy: string[];
  /** A bearer token that gives access to /metrics. Without a token only this machine may read them. */
  metricsToken: string | undefined;
  /** The most queued generations of one account. */
  queueCap: number;
  /** The enabled facades, for clients of other APIs. */
  facades: FacadeName[];
  /** The longest time that a facade holds a request, in seconds. */
  holdSeconds: number;
  /** Seconds until a held request gets its first sign of life; 0 for none. */
  facadeHeartbeatAfterSeconds: number;
  logLevel: LogLevel;
  /** The address of the documentation; `type` of a problem is `{docsUrl}/errors#code`. */
  docsUrl: string;
  /** The folder with the built console; it may be missing. */
  consoleDirectory: string;
};

export const defaultPort = 8787;
const defaultStudioUrl = 'http://127.0.0.1:8788';
/** The paths at the root of the service. PUBLIC_URL must not end with one of them: the two could not be told apart. */
const ownPaths = [
  '/console',
  '/docs',
  '/healthz',
  '/llms.txt',
  '/mcp',
  '/media',
  '/metrics',
  '/openai',
  '/openapi.json',
  '/readyz',
  '/sdapi',
  '/v1',
];
const defaultConsoleDirectory = fileURLToPath(new URL('../../console/dist', import.meta.url));

/**
 * Reads the settings from the environment. With `npm start`, `partEnvironments` in `stack/src/config.ts` makes this
 * environment. @throws ConfigError with a sentence that names the variable
 */
export function readServiceConfig(environment: Environment): ServiceConfig {
  const read = readEnvironment(environment);
  const host = read.text('HOST') ?? '127.0.0.1';
  const port = read.integer('PORT', { min: 0, max: 65_535, default: defaultPort });
  const publicUrl = readPublicUrl(read) ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const studioUrl = read.origin('STUDIO_URL') ?? defaultStudioUrl;
  return {
    databaseUrl: readDatabaseUrl(environment),
    databasePool: read.integer('DATABASE_POOL', { min: 2, max: 1000, default: 10 }),
    host,
    port,
    publicUrl,
    studioUrl,
    studioPublicUrl: read.origin('STUDIO_PUBLIC_URL') ?? studioUrl,
    ...readMediaOrigin(read),
    studioClientId: read.required('STUDIO_CLIENT_ID', 'the id of the client that the studio knows us by'),
    studioClientSecret: read.required('STUDIO_CLIENT_SECRET', 'the secret of that client'),
    secretKey: secretKeyOf(read.required('SECRET_KEY', secretKeyShape)),
    egressAllow: egressBlocks(read.networks('EGRESS_ALLOW')),
    trustProxy: read.networks('TRUST_PROXY'),
    metricsToken: read.text('METRICS_TOKEN'),
    queueCap: read.integer('QUEUE_CAP', { min: 1, max: 1_000_000, default: queuedPerAccountDefault }),
    facades: facadesOf(environment['FACADES']),
    holdSeconds: read.integer('HOLD_SECONDS', { min: 1, max: 3_600, default: 600 }),
    facadeHeartbeatAfterSeconds: read.integer('FACADE_HEARTBEAT_AFTER_SECONDS', {
      min: 0,
      max: 3_600,
      default: 45,
    }),
    logLevel: read.choice('LOG_LEVEL', logLevels, 'info'),
    docsUrl: docsUrlOf(read.text('DOCS_URL')) ?? `${publicUrl}/docs`,
    consoleDirectory: path.resolve(read.text('CONSOLE_DIRECTORY') ?? defaultConsoleDirectory),
  };
}

/** Reads the only setting that a migration needs. @throws ConfigError */
export function readDatabaseUrl(environment: Environment): string {
  const url = readEnvironment(environment).databaseUrl('DATABASE_URL');
  if (url === undefined)
    throw new ConfigError('DATABASE_URL is not set: it must be the address of a PostgreSQL database.');
  return url;
}

function readPublicUrl(read: ReturnType<typeof readEnvironment>): string | undefined {
  const publicUrl = read.baseUrl('PUBLIC_URL');
  const { pathname } = new URL(publicUrl ?? 'http://localhost');
  if (ownPaths.includes(pathname))
    throw new ConfigError(
      `PUBLIC_URL ends with ${pathname}, which is a path of the service's own: take another, such as /renderkit.`,
    );
  return publicUrl;
}

function readMediaOrigin(read: ReturnType<typeof readEnvironment>): Pick<ServiceConfig, 'mediaOrigin'> {
  const endpoint = read.origin('S3_ENDPOINT');
  if (endpoint === undefined || read.choice('MEDIA_DELIVERY', ['proxy', 'redirect'], 'proxy') === 'proxy')
    return {};
  if (read.choice('S3_PATH_STYLE', ['on', 'off'], 'on') === 'on') return { mediaOrigin: endpoint };
  const { protocol, host } = new URL(endpoint);
  return { mediaOrigin: `${protocol}//${read.required('S3_BUCKET', 'the name of a bucket')}.${host}` };
}

const secretKeyShape = '32 random bytes as 64 hexadecimal characters (openssl rand -hex 32 makes one)';

function secretKeyOf(text: string): Buffer {
  const key = parseSecretKey(text);
  // The value is a secret, even when it is wrong, so the message does not repeat it.
  if (key === undefined)
    throw new ConfigError(`SECRET_KEY has the wrong shape: it must be ${secretKeyShape}.`);
  return key;
}

function egressBlocks(blocks: string[]): string[] {
  try {
    parseCidrs(blocks.join(','));
  } catch (error) {
    throw new ConfigError(`EGRESS_ALLOW: ${(error as Error).message}.`, { cause: error });
  }
  return blocks;
}

/** Returns all facades when the variable is not set, and none when it is empty. */
function facadesOf(text: string | undefined): FacadeName[] {
  if (text === undefined) return [...facadeNames];
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = names.find((name) => !facadeNames.some((known) => known === name));
  if (unknown !== undefined)
    throw new ConfigError(
      `FACADES names ${JSON.stringify(unknown)}, but there are only ${facadeNames.join(', ')}.`,
    );
  return names as FacadeName[];
}

function docsUrlOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new ConfigError(`DOCS_URL is ${JSON.stringify(text)}, but it must be an http or https address.`);
  return text.replace(/\/+$/, '');
}
