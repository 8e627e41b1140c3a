import { createServer } from 'node:net';
import path from 'node:path';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Part } from '@renderkit/server-kit/testing/part.ts';
import { createKey, findAccountByEmail } from '@renderkit/service/operator.ts';
import { startPlatform as startWholePlatform } from '@renderkit/stack/testing/platform.ts';
import { grantForService } from '@renderkit/studio/operator.ts';
import type { Bench } from './benchmark.ts';

export type Account = { id: string; email: string; keys: string[] };

export type Platform = AsyncDisposable & {
  serviceUrl: string;
  studioUrl: string;
  /** The first service and the first studio. */
  service: Part;
  studio: Part;
  services: readonly Part[];
  studios: readonly Part[];
  serviceUrls: readonly string[];
  /** Only with the option `worker`. */
  worker: Part | undefined;
  /** The logs of the parts, at level warn. */
  logDirectory: string;
  serviceDatabase: Database;
  studioDatabase: Database;
  secretKey: Buffer;
  /** Creates a pro account with practically unlimited credits, and keys with practically no rate limit. */
  createAccount: (options: { keys: number }) => Promise<Account>;
  /** Returns the access token of the account, as the service sends it to the studio. */
  studioToken: (account: Account) => Promise<string>;
};

export type PlatformOptions = {
  /** Starts a render worker. */
  worker: boolean;
  /** Allows webhooks to this machine. */
  loopbackReceivers?: boolean;
  /** How many processes of the service and of the studio each; the studios share one address. Default 1. */
  each?: number;
  /** Added to every part's environment. */
  environment?: Record<string, string>;
};

/** So high that nothing is refused because of waiting generations. */
const queueCap = '1000000';
const plentyMillicredits = 1e12;
const fastestRate = 1_000_000;

/**
 * Starts the product on its own databases: one studio and one service unless `each` is given, and a render worker if
 * requested.
 */
export async function startPlatform(bench: Bench, options: PlatformOptions): Promise<Platform> {
  await using owners = new AsyncDisposableStack();
  const serviceData = owners.use(await bench.cluster.createDatabase('service'));
  const studioData = owners.use(await bench.cluster.createDatabase('studio'));
  const platform = owners.use(
    await startWholePlatform({
      databases: { service: serviceData.url, studio: studioData.url },
      services: options.each ?? 1,
      studios: options.each ?? 1,
      workers: options.worker ? 1 : 0,
      profileDirectory: bench.profileDirectory,
      environment: {
        LOG_LEVEL: 'warn',
        QUEUE_CAP: queueCap,
        ...(options.loopbackReceivers === true && { EGRESS_ALLOW: '127.0.0.0/8' }),
        ...options.environment,
      },
    }),
  );
  const [service] = platform.services as [Part];
  const [serviceUrl] = platform.serviceUrls as [string];
  const { STUDIO_CLIENT_ID = '', STUDIO_CLIENT_SECRET = '', SECRET_KEY = '' } = platform.environment;
  const started = owners.move();
  return {
    serviceUrl,
    studioUrl: platform.studioUrl,
    service,
    studio: platform.studio,
    services: platform.services,
    studios: platform.studios,
    serviceUrls: platform.serviceUrls,
    logDirectory: path.join(platform.directory, 'logs'),
    worker: platform.workers[0],
    serviceDatabase: serviceData.database,
    studioDatabase: studioData.database,
    secretKey: Buffer.from(SECRET_KEY, 'hex'),
    createAccount: async ({ keys }) => {
      const { email } = await platform.createAccount({ tier: 'pro', credits: plentyMillicredits / 1_000 });
      const found = await findAccountByEmail(serviceData.database, email);
      if (found === undefined) throw new Error(`the service has no account of ${email}`);
      return { id: found.id, email, keys: await createKeys(serviceData.database, found.id, keys) };
    },
    studioToken: async ({ email }) => {
      const { refreshToken } = await grantForService(studioData.database, email, STUDIO_CLIENT_ID);
      return refresh(platform.studioUrl, `${STUDIO_CLIENT_ID}:${STUDIO_CLIENT_SECRET}`, refreshToken);
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

async function refresh(studioUrl: string, credentials: string, refreshToken: string): Promise<string> {
  const { issuer } = (await (await fetch(`${studioUrl}/api/metadata`)).json()) as { issuer: string };
  const { token_endpoint: endpoint } = (await (
    await fetch(`${issuer}/.well-known/openid-configuration`)
  ).json()) as { token_endpoint: string };
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }),
  });
  const { access_token: token } = (await answer.json()) as { access_token?: string };
  if (token === undefined) throw new Error(`a refresh was answered ${answer.status}`);
  return token;
}

/** Returns the path of a program of the tree. */
export function program(file: string): string {
  return path.resolve(import.meta.dirname, '..', file);
}

/** Returns the settings of a service, whatever studio it works with. */
export function serviceEnvironment(options: {
  databaseUrl: string;
  port: number;
  studioPort: number;
  secretKey: Buffer;
}): Record<string, string> {
  return {
    DATABASE_URL: options.databaseUrl,
    PORT: String(options.port),
    PUBLIC_URL: originOf(options.port),
    STUDIO_URL: originOf(options.studioPort),
    STUDIO_PUBLIC_URL: originOf(options.studioPort),
    SECRET_KEY: options.secretKey.toString('hex'),
    QUEUE_CAP: queueCap,
  };
}

export async function createKeys(database: Database, accountId: string, count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let n = 1; n <= count; n++) {
    const { key } = await createKey(database, {
      accountId,
      name: `key ${n}`,
      rateLimitPerMinute: fastestRate,
    });
    keys.push(key);
  }
  return keys;
}

export function originOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** Returns a free port: addresses go into configurations before anything listens there. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('a probe listens on no port');
  return address.port;
}
