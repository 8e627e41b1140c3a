import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';
import { type Database, openDatabase } from '@renderkit/server-kit/db/database.ts';
import type { Environment } from '@renderkit/server-kit/process/config.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import {
  inheritedEnvironment,
  createPart,
  type Part,
  type PartOptions,
} from '@renderkit/server-kit/testing/part.ts';
import { serviceNodeOptions } from '@renderkit/service/config.ts';
import { migrateService } from '@renderkit/service/migrate.ts';
import * as serviceOperator from '@renderkit/service/operator.ts';
import { workerNodeOptions } from '@renderkit/studio/config.ts';
import { migrateStudio } from '@renderkit/studio/migrate.ts';
import * as studioOperator from '@renderkit/studio/operator.ts';
import { mediaEnvironment, openTestMedia } from '@renderkit/blob-storage/testing/test-media.ts';
import { startBalancer } from './balancer.ts';
import { startOwnPostgres } from './own-postgres.ts';
import { writeSmallModels } from './small-models.ts';

export type PlatformOptions = {
  /** The number of service processes on the one database. Default 1. */
  services?: number;
  /** The number of worker processes. Default 1. */
  workers?: number;
  /** The number of studio processes, behind one address. Default 1. */
  studios?: number;
  /**
   * Where media are kept. Default: as configured for the test run, else on the disk. With a bucket, each part has a
   * separate data directory, and none is shared.
   */
  mediaStore?: 'disk' | 's3';
  /**
   * The models that most tests use draw a sixteenth of their pixels. For tests that check what happens to a picture,
   * not its size.
   */
  smallPictures?: boolean;
  /** Addresses of migrated databases. Default: two of the test run's cluster, removed with the platform. */
  databases?: { service: string; studio: string };
  /** Uses a separate PostgreSQL cluster, which `killPostgres` may end. */
  ownPostgres?: boolean;
  /** Added to every part's environment. */
  environment?: Record<string, string>;
  /** The folder of the sources that run. Default: this tree. */
  tree?: string;
  /** A folder with sources of the previous release: every second part of each kind, from the second on, runs these. */
  olderTree?: string | undefined;
  /** The folder where each part writes a CPU profile when it stops. */
  profileDirectory?: string | undefined;
  /** A test entry with crash points and its arguments, instead of the service's main.ts. */
  serviceEntry?: { file: string; arguments: string[] };
};

export type NewAccount = { tier?: 'free' | 'plus' | 'pro'; credits?: number; ageVerified?: boolean };
export type PlatformAccount = { email: string; studioAccountId: string };
export type NewKey = { dailyBudget?: number; rateLimit?: number; scopes?: string[]; confirmAbove?: number };

export type Platform = AsyncDisposable & {
  /** The directory of databases, media and logs. */
  directory: string;
  services: Part[];
  /** The first studio process. */
  studio: Part;
  studios: Part[];
  workers: Part[];
  serviceUrls: string[];
  studioUrl: string;
  databases: { service: Database; studio: Database };
  createAccount: (account?: NewAccount) => Promise<PlatformAccount>;
  /** Connects the account's studio again, as a sign-in to the console would. */
  connectAccount: (account: PlatformAccount) => Promise<void>;
  /** Creates a key and returns it: `rk_live_…`. */
  createKey: (account: PlatformAccount, key?: NewKey) => Promise<string>;
  /** The environment shared by all parts, which an operator's shell needs too. */
  environment: Readonly<Record<string, string>>;
  /** Runs an operator command in this process and returns its answer. */
  operator: (...words: string[]) => Promise<Record<string, unknown>>;
  /**
   * Creates a webhook endpoint for all events of the account; on this machine with `EGRESS_ALLOW`. Returns its secret.
   */
  createWebhook: (account: PlatformAccount, url: string) => Promise<string>;
  /** Kills the postmaster, as a crash would; its supervisor restarts it. Needs `ownPostgres`. */
  killPostgres: () => Promise<void>;
};

const clientId = 'renderkit-service';
const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Starts the whole product as separate processes on separate ports and in a new directory, each with the Node options
 * of `npm start`.
 */
export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  await using owned = new AsyncDisposableStack();
  const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-e2e-'));
  await chmod(directory, 0o711);
  owned.defer(() => rm(directory, { recursive: true, force: true }));
  const urls = await openUrls(owned, directory, options);
  const service = owned.use(openDatabase({ url: urls.service, applicationName: 'e2e', poolSize: 3 }));
  const studio = owned.use(openDatabase({ url: urls.studio, applicationName: 'e2e', poolSize: 3 }));
  const secretKey = randomBytes(32);
  const studios = options.studios ?? 1;
  const free = await freePorts(studios + (options.services ?? 1));
  const [studioPorts, ports] = [free.slice(0, studios), free.slice(studios)];
  const studioPort = studios === 1 ? studioPorts[0] : owned.use(await startBalancer(studioPorts)).port;
  const studioUrl = `http://127.0.0.1:${studioPort}`;
  const shared: Record<string, string> = {
    DATA_DIR: path.join(directory, 'data'),
    HOST: '127.0.0.1',
    DATABASE_URL: urls.service,
    STUDIO_DATABASE_URL: urls.studio,
    STUDIO_URL: studioUrl,
    STUDIO_PUBLIC_URL: studioUrl,
    STUDIO_CLIENT_ID: clientId,
    STUDIO_CLIENT_SECRET: randomBytes(24).toString('hex'),
    SECRET_KEY: secretKey.toString('hex'),
    LOG_LEVEL: 'info',
    ...(await openMediaStore(owned, options)),
    ...options.environment,
  };
  if (options.smallPictures === true)
    await writeSmallModels(dataDirectoryOf('studio', { environment: shared, directory }));
  const parts = createParts(owned, options, { environment: shared, directory, studioPorts, ports });
  await parts.studio.start();
  const others = [...parts.studios.slice(1), ...parts.workers, ...parts.services];
  await Promise.all(others.map((one) => one.start()));
  const ours = owned.move();
  return {
    ...parts,
    directory,
    serviceUrls: ports.map((port) => `http://127.0.0.1:${port}`),
    studioUrl,
    databases: { service, studio },
    environment: shared,
    createAccount: (account = {}) => createAccount({ service, studio, secretKey }, account),
    connectAccount: async (account) => {
      await connectAccount({ service, studio, secretKey }, account.email);
    },
    createKey: (account, key = {}) => createKey(service, account, key),
    createWebhook: (account, url) =>
      createWebhook({ service, secretKey }, account, { url, egressAllow: shared['EGRESS_ALLOW'] }),
    operator: (...words) => runOperatorCommand(words, { ...inheritedEnvironment(), ...shared }),
    killPostgres: () => urls.kill(),
    [Symbol.asyncDispose]: () => ours.disposeAsync(),
  };
}

/** @throws when the command is refused or fails */
async function runOperatorCommand(
  words: readonly string[],
  environment: Environment,
): Promise<Record<string, unknown>> {
  // Loaded only when needed: the module is as large as a part.
  const [{ runOperator }, { commands }] = await Promise.all([
    import('../operator/run-operator.ts'),
    import('../operator/commands.ts'),
  ]);
  const { text, failed } = await runOperator(commands, [...words, '--json'], environment);
  if (failed) throw new Error(`${words.join(' ')}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

type PartFacts = {
  environment: Record<string, string>;
  directory: string;
  studioPorts: readonly number[];
  /** The ports of the services. */
  ports: readonly number[];
};

/** Creates the parts without starting them. They are disposed in the order in which the stack stops them. */
function createParts(
  owned: AsyncDisposableStack,
  options: PlatformOptions,
  { environment: shared, directory, studioPorts, ports }: PartFacts,
): Pick<Platform, 'studio' | 'studios' | 'workers' | 'services'> {
  const logDirectory = path.join(directory, 'logs');
  const programOf = (file: string, i: number) =>
    path.join((i % 2 === 1 ? options.olderTree : undefined) ?? options.tree ?? root, file);
  const part = (
    name: string,
    file: string,
    environment: Record<string, string>,
    beside: Pick<PartOptions, 'arguments' | 'nodeOptions'> = {},
  ) =>
    owned.use(
      createPart({
        name,
        entry: file,
        environment: {
          ...shared,
          DATA_DIR: dataDirectoryOf(name, { environment: shared, directory }),
          ...environment,
        },
        logDirectory,
        profileDirectory: options.profileDirectory,
        ...beside,
      }),
    );

  const addresses = clientAddresses(shared['PUBLIC_URL'] ?? `http://127.0.0.1:${ports[0]}`);
  const studios = studioPorts.map((port, i) =>
    part(i === 0 ? 'studio' : `studio-${i}`, programOf('studio/src/main.ts', i), {
      STUDIO_PORT: String(port),
      ...addresses,
    }),
  );
  const workers = Array.from({ length: options.workers ?? 1 }, (_, i) =>
    part(`worker-${i}`, programOf('studio/src/worker.ts', i), {}, { nodeOptions: workerNodeOptions }),
  );
  const services = ports.map((port, i) =>
    part(
      `service-${i}`,
      options.serviceEntry?.file ?? programOf('service/src/main.ts', i),
      { PORT: String(port) },
      { nodeOptions: serviceNodeOptions, arguments: options.serviceEntry?.arguments ?? [] },
    ),
  );
  return { studio: studios[0] as Part, studios, workers, services };
}

/** Returns the data directory of a part. With media in a bucket, each part has a separate one. */
function dataDirectoryOf(
  part: string,
  { environment, directory }: Pick<PartFacts, 'environment' | 'directory'>,
): string {
  const shared = environment['DATA_DIR'] ?? path.join(directory, 'data');
  return environment['MEDIA_STORE'] === 's3' ? path.join(directory, `data-of-${part}`) : shared;
}

/** Returns the environment variables for media in a bucket. */
async function openMediaStore(
  owned: AsyncDisposableStack,
  { mediaStore }: PlatformOptions,
): Promise<Record<string, string>> {
  return mediaEnvironment({ s3: await openTestMedia(owned, mediaStore) });
}

/** Returns the addresses for browsers that sign in: those of the first service's console. */
function clientAddresses(serviceUrl: string): Record<string, string> {
  const { home, signIn, callback, signedOut } = consoleAddresses;
  return {
    STUDIO_CLIENT_URL: serviceUrl + home,
    STUDIO_CLIENT_SIGN_IN_URL: serviceUrl + signIn,
    STUDIO_CLIENT_REDIRECT_URIS: serviceUrl + callback,
    STUDIO_CLIENT_LOGOUT_URIS: serviceUrl + signedOut,
  };
}

type Urls = { service: string; studio: string; kill: () => Promise<void> };

async function openUrls(
  owned: AsyncDisposableStack,
  directory: string,
  options: PlatformOptions,
): Promise<Urls> {
  const kill = () => Promise.reject(new Error('this PostgreSQL is shared: ask for ownPostgres'));
  if (options.databases !== undefined) return { ...options.databases, kill };
  if (options.ownPostgres !== true) {
    const service = owned.use(await createTestDatabase('service', { poolSize: 1 }));
    const studio = owned.use(await createTestDatabase('studio', { poolSize: 1 }));
    return { service: service.url, studio: studio.url, kill };
  }
  const postgres = owned.use(await startOwnPostgres(directory));
  const urls = { service: postgres.urlFor('service'), studio: postgres.urlFor('studio') };
  await migrateService(urls.service);
  await migrateStudio(urls.studio);
  return { ...urls, kill: postgres.kill };
}

let accounts = 0;

type Databases = { service: Database; studio: Database; secretKey: Buffer };

async function createAccount(databases: Databases, account: NewAccount): Promise<PlatformAccount> {
  const email = `person-${++accounts}@example.org`;
  await studioOperator.createAccount(databases.studio, {
    email,
    tier: account.tier ?? 'pro',
    creditsMillicredits: Math.round((account.credits ?? 1_000) * 1000),
  });
  if (account.ageVerified === true)
    await studioOperator.setAccount(databases.studio, email, { ageVerified: true });
  return { email, studioAccountId: await connectAccount(databases, email) };
}

async function connectAccount(databases: Databases, email: string): Promise<string> {
  const connection = await studioOperator.connect(databases.studio, email, clientId);
  await serviceOperator.connectAccount(databases.service, databases.secretKey, {
    studioId: connection.studioId,
    studioAccountId: connection.accountId,
    email,
    refreshToken: connection.refreshToken,
  });
  return connection.accountId;
}

async function createKey(service: Database, account: PlatformAccount, key: NewKey): Promise<string> {
  const created = await serviceOperator.createKey(service, {
    accountEmail: account.email,
    name: 'test',
    ...(key.scopes !== undefined && { scopes: key.scopes }),
    ...(key.dailyBudget !== undefined && { dailyBudgetMillicredits: Math.round(key.dailyBudget * 1_000) }),
    ...(key.confirmAbove !== undefined && { confirmAboveMillicredits: key.confirmAbove * 1_000 }),
    rateLimitPerMinute: key.rateLimit ?? 1_000_000,
  });
  return created.key;
}

async function createWebhook(
  { service, secretKey }: Omit<Databases, 'studio'>,
  { email }: PlatformAccount,
  { url, egressAllow }: { url: string; egressAllow: string | undefined },
): Promise<string> {
  const owner = await serviceOperator.findAccountByEmail(service, email);
  const { secret } = await serviceOperator.createWebhook(service, secretKey, {
    accountId: owner?.id ?? '',
    url,
    events: ['generation.succeeded', 'generation.failed', 'upload.ready', 'upload.rejected'],
    egressAllow: egressAllow === undefined ? [] : [egressAllow],
  });
  return secret;
}

/**
 * Returns different ports that were free a moment ago. They lie below the range that the system uses for connections,
 * because a killed part must find its port free again.
 */
async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer().listen(port, '127.0.0.1');
    const free = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!free) continue;
    ports.add(port);
    await once(server.close(), 'close');
  }
  return [...ports];
}
