import { isIP } from 'node:net';
import path from 'node:path';
import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';
import { ConfigError, type Environment, readEnvironment } from '@renderkit/server-kit/process/config.ts';
import { readServiceConfig } from '@renderkit/service/config.ts';
import { readStudioConfig, readWorkerConfig } from '@renderkit/studio/config.ts';

/**
 * The environment of the stack itself. The parts read the rest of the environment themselves: `service/src/config.ts`,
 * `studio/src/config.ts`.
 */
export type StackConfig = {
  /** Absolute. The stack stores everything in this directory. */
  dataDirectory: string;
  host: string;
  /** 0: the operating system chooses a port at each start. */
  port: number;
  studioPort: number;
  /** As given; `undefined` means the address on which the part listens. */
  publicUrl: string | undefined;
  studioUrl: string | undefined;
  studioPublicUrl: string | undefined;
  /** External databases; `undefined` means the embedded PostgreSQL. */
  external: DatabaseUrls | undefined;
  secretKey: string | undefined;
  studioClientId: string;
  studioClientSecret: string | undefined;
  /** Whether the stack listens, and is reached, only on loopback. */
  isForThisMachine: boolean;
  /** Whether the first start creates a demo account and a key. */
  demo: boolean;
  /** Whether anybody who reaches the studio may make an account. */
  signUp: 'open' | 'closed';
  /** The OS account for PostgreSQL when the stack runs as root; `undefined`: `nobody`. */
  postgresUser: string | undefined;
  /** The whole environment, passed on to the parts. */
  environment: Environment;
};

export type DatabaseUrls = { service: string; studio: string };

const defaults = {
  dataDirectory: '.data',
  host: '127.0.0.1',
  port: 8787,
  studioPort: 8788,
  clientId: 'renderkit-service',
};

/** Reads and validates the whole environment, including that of the parts. @throws ConfigError */
export function readStackConfig(environment: Environment): StackConfig {
  const read = readEnvironment(environment);
  const host = read.text('HOST') ?? defaults.host;
  const port = read.integer('PORT', { min: 0, max: 65_535, default: defaults.port });
  const studioPort = read.integer('STUDIO_PORT', { min: 0, max: 65_535, default: defaults.studioPort });
  if (port === studioPort && port !== 0)
    throw new ConfigError(`PORT and STUDIO_PORT are both ${port}: give one of them another number.`);
  const publicUrl = read.baseUrl('PUBLIC_URL');
  const studioPublicUrl = read.origin('STUDIO_PUBLIC_URL');
  // A proxy on this machine can make a server on loopback reachable from everywhere.
  const isForThisMachine = [host, hostOf(publicUrl), hostOf(studioPublicUrl)].every(
    (name) => name === undefined || isLoopback(name),
  );
  const config: StackConfig = {
    dataDirectory: path.resolve(read.text('DATA_DIR') ?? defaults.dataDirectory),
    host,
    port,
    studioPort,
    publicUrl,
    studioUrl: read.origin('STUDIO_URL'),
    studioPublicUrl,
    external: externalDatabases(read),
    secretKey: read.text('SECRET_KEY'),
    studioClientId: read.text('STUDIO_CLIENT_ID') ?? defaults.clientId,
    studioClientSecret: read.text('STUDIO_CLIENT_SECRET'),
    isForThisMachine,
    // If the stack is reachable from elsewhere, an account with a printed password is a risk.
    demo: read.choice('DEMO', ['on', 'off'], isForThisMachine ? 'on' : 'off') === 'on',
    signUp: read.choice('STUDIO_SIGN_UP', ['open', 'closed'], isForThisMachine ? 'open' : 'closed'),
    postgresUser: read.text('POSTGRES_OS_USER'),
    environment,
  };
  validateParts(config);
  return config;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function hostOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
}

function externalDatabases(read: ReturnType<typeof readEnvironment>): DatabaseUrls | undefined {
  const service = read.databaseUrl('DATABASE_URL');
  const studio = read.databaseUrl('STUDIO_DATABASE_URL');
  if (service === undefined && studio === undefined) return undefined;
  if (service === undefined || studio === undefined)
    throw new ConfigError(
      `${service === undefined ? 'STUDIO_DATABASE_URL' : 'DATABASE_URL'} is set alone: set both DATABASE_URL and STUDIO_DATABASE_URL, or neither for the built-in PostgreSQL.`,
    );
  if (service === studio)
    throw new ConfigError(
      'DATABASE_URL and STUDIO_DATABASE_URL are the same: service and studio need a database each.',
    );
  return { service, studio };
}

/** The facts that the running stack adds: addresses of the databases, its ports, its secrets. */
export type StackFacts = {
  databases: DatabaseUrls;
  port: number;
  studioPort: number;
  secretKey: string;
  studioClientSecret: string;
};

/**
 * Returns the address that a person opens. A wildcard is only an address to listen on, so it is replaced by loopback.
 */
export function addressOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${isIP(name) === 6 ? `[${name}]` : name}:${port}`;
}

export type PartEnvironments = { service: Environment; studio: Environment; worker: Environment };

/**
 * Returns the environment of each part: the given variables and the facts of the stack, without what only another part
 * needs.
 */
export function partEnvironments(config: StackConfig, facts: StackFacts): PartEnvironments {
  const {
    DATABASE_URL: _,
    STUDIO_DATABASE_URL: __,
    SECRET_KEY: ___,
    STUDIO_CLIENT_SECRET: ____,
    ...rest
  } = config.environment;
  const studioUrl = config.studioUrl ?? addressOf(config.host, facts.studioPort);
  const shared = {
    ...rest,
    DATA_DIR: config.dataDirectory,
    HOST: config.host,
    PORT: String(facts.port),
    STUDIO_PORT: String(facts.studioPort),
    PUBLIC_URL: config.publicUrl ?? addressOf(config.host, facts.port),
    STUDIO_URL: studioUrl,
    STUDIO_PUBLIC_URL: config.studioPublicUrl ?? studioUrl,
    STUDIO_CLIENT_ID: config.studioClientId,
  };
  const client = { STUDIO_CLIENT_SECRET: facts.studioClientSecret };
  // Encrypts the secrets of the service and of the studio's backends.
  const key = { SECRET_KEY: facts.secretKey };
  return {
    service: { ...shared, ...noBucketKey, ...client, ...key, DATABASE_URL: facts.databases.service },
    studio: {
      ...clientAddresses(shared.PUBLIC_URL),
      ...shared,
      ...client,
      ...key,
      STUDIO_DATABASE_URL: facts.databases.studio,
      STUDIO_SIGN_UP: config.signUp,
    },
    worker: { ...shared, ...key, STUDIO_DATABASE_URL: facts.databases.studio },
  };
}

/** The service serves no media: it gets the location, but no access key. */
const noBucketKey: Environment = {
  S3_ACCESS_KEY_ID: undefined,
  S3_ACCESS_KEY_ID_FILE: undefined,
  S3_SECRET_ACCESS_KEY: undefined,
  S3_SECRET_ACCESS_KEY_FILE: undefined,
};

/** The addresses of the service's console for the studio, unless the operator sets others. */
function clientAddresses(serviceUrl: string): Environment {
  const { home, signIn, callback, signedOut } = consoleAddresses;
  return {
    STUDIO_CLIENT_URL: serviceUrl + home,
    STUDIO_CLIENT_SIGN_IN_URL: serviceUrl + signIn,
    STUDIO_CLIENT_REDIRECT_URIS: serviceUrl + callback,
    STUDIO_CLIENT_LOGOUT_URIS: serviceUrl + signedOut,
  };
}

/** Reports a wrong value of a part before anything starts, instead of in the part's log. */
function validateParts(config: StackConfig): void {
  const environments = partEnvironments(config, {
    databases: config.external ?? { service: 'postgres://-/service', studio: 'postgres://-/studio' },
    port: config.port,
    studioPort: config.studioPort,
    secretKey: config.secretKey ?? '0'.repeat(64),
    studioClientSecret: config.studioClientSecret ?? '-'.repeat(32),
  });
  readServiceConfig(environments.service);
  readStudioConfig(environments.studio);
  readWorkerConfig(environments.worker);
}
