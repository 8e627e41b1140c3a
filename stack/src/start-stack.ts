import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';
import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { serviceNodeOptions } from '@renderkit/service/config.ts';
import { readMediaBucket, readWorkerConfig, workerNodeOptions } from '@renderkit/studio/config.ts';
import { readRulesAtStart } from '@renderkit/studio/moderation/read-at-start.ts';
import { requireLocation } from '@renderkit/studio/storage/media-location.ts';
import { buildConsole } from './build-console.ts';
import { addressOf, partEnvironments, type PartEnvironments, type StackConfig } from './config.ts';
import { closeDataDirectory, filesOf, type HeldDirectory, holdDataDirectory } from './data-directory.ts';
import { type Databases, openDatabases, prepareDatabases } from './databases.ts';
import { ensureSecrets } from './stored-secrets.ts';
import { type Outage, tellOutage } from './outage.ts';
import { claimPort } from './ports.ts';
import {
  type Addresses,
  type DemoAccount,
  type Screen,
  showDemo,
  showFirstAccount,
  showOverview,
} from './screen.ts';
import { StackError } from './stack-error.ts';
import { holdsAccounts, rememberFirstStart, wasStartedBefore } from './store.ts';
import { supervise, type SupervisedPart } from './supervise.ts';
import { explainError } from './explain-error.ts';

export type Stack = AsyncDisposable & { addresses: Addresses };

/** Ports held by remains of a killed stack become free within this time. */
const afterCrashMs = 20_000;
const readyLimitMs = 120_000;
const readyPollMs = 25;

const entryOf = (part: string) => fileURLToPath(new URL(`../../${part}`, import.meta.url));
export type PartEntries = Record<'studio' | 'worker' | 'service', string>;
const ownEntries: PartEntries = {
  studio: entryOf('studio/src/main.ts'),
  worker: entryOf('studio/src/worker.ts'),
  service: entryOf('service/src/main.ts'),
};

/** Reports a wrong secret or bucket once, instead of letting parts die of it repeatedly. @throws ConfigError */
async function tryBucket({ dataDirectory, environment }: StackConfig): Promise<void> {
  const s3 = readMediaBucket(environment);
  if (s3 === undefined) return;
  // Loaded only when needed: most starts have their media on a disk.
  const { openCheckedStorage } = await import('@renderkit/blob-storage/open-storage.ts');
  await using _ = await openCheckedStorage({ dataDirectory, s3 });
}

/**
 * Starts everything on this machine in order, and returns when it serves. Stops everything again when something fails
 * or the signal aborts. Later, a part that dies is restarted while the stack runs, and the other parts stay. Tests may
 * pass other programs as `entries`.
 * @throws StackError, ConfigError for errors that an operator can fix
 */
export async function startStack(
  config: StackConfig,
  options: { screen: Screen; signal: AbortSignal; entries?: PartEntries },
): Promise<Stack> {
  const started = performance.now();
  await using owned = new AsyncDisposableStack();
  const held = owned.use(await holdDataDirectory(config.dataDirectory));
  await closeDataDirectory(config.dataDirectory);
  await tryBucket(config);
  const ports = await claimPorts(config, held);
  const built = makeConsole(config, options.screen);
  const { logs } = filesOf(config.dataDirectory);
  const outageOf = (name: string, log: string) =>
    owned.use(tellOutage(options.screen, { name, log: path.join(logs, log) }));
  const outage = outageOf('PostgreSQL', 'postgres.log');
  const databases = owned.use(await openDatabases(config, { onDown: outage.down, onUp: outage.up }));
  owned.defer(() => held.sayStopping());
  options.signal.throwIfAborted();
  const secrets = await ensureSecrets(config, databases.urls);
  const kept = await prepareDatabases(databases.urls, options.signal);
  if (kept.length > 0)
    options.screen.line(
      `  Changed here, and so left as they are: ${kept.join(', ')}. This version brings others.`,
    );
  const environments = partEnvironments(config, { databases: databases.urls, ...ports, ...secrets });
  await publishFiles(environments, options.screen);
  options.signal.throwIfAborted();
  const addresses = publicAddresses(environments);
  showOverview(options.screen, {
    addresses,
    dataDirectory: config.dataDirectory,
    logs,
    database:
      databases.embedded === undefined
        ? 'external (DATABASE_URL, STUDIO_DATABASE_URL)'
        : 'built-in PostgreSQL',
  });
  await welcome(config, environments, {
    demo: (demo) => showDemo(options.screen, demo, addresses),
    nobody: () => showFirstAccount(options.screen, addresses),
  });
  await built;
  const parts = startParts({ environments, config, databases, outageOf, ...options });
  // Disposed in reverse order: the service stops accepting requests, running work ends, and the studio stops last.
  for (const part of [parts.studio, parts.worker, parts.service]) owned.use(part);
  owned.defer(() => held.sayStopping());
  await untilReady(parts, addressOf(config.host, ports.port), options.signal);
  options.screen.line();
  options.screen.heading(
    `  Ready after ${((performance.now() - started) / 1000).toFixed(1)} s. Press Ctrl-C to stop.`,
  );
  options.screen.line();
  const ours = owned.move();
  return { addresses, [Symbol.asyncDispose]: () => ours.disposeAsync() };
}

/**
 * Applies the operator's files before a demo account is created, so that the account gets one of the operator's plans.
 * The studio's log has the errors.
 */
async function publishFiles({ worker }: PartEnvironments, screen: Screen): Promise<void> {
  // The module is loaded already: the studio's migrations use it to publish the product's models.
  const { applyDataFiles } = await import('@renderkit/studio/catalog/data-files.ts');
  const { databaseUrl: url, ...location } = readWorkerConfig(worker);
  await using database = openDatabase({ url, applicationName: 'stack', poolSize: 1 });
  const tell = ({ file }: { file: string }, message: string) => screen.line(`  ${file}: ${message}.`);
  // Checked here first: otherwise the studio and the worker would each start and refuse it.
  await requireLocation(database, location);
  await readRulesAtStart({
    path: filesOf(location.dataDirectory).moderation,
    database,
    log: { error: tell },
  });
  await applyDataFiles(database, location, { info: tell, warn: tell, error: tell });
}

/** Returns the addresses given to the parts, so that the screen and the parts always agree. */
function publicAddresses({ service }: PartEnvironments): Addresses {
  const { PUBLIC_URL = '', STUDIO_PUBLIC_URL = '' } = service;
  return { service: PUBLIC_URL, studio: STUDIO_PUBLIC_URL, console: `${PUBLIC_URL}${consoleAddresses.home}` };
}

/**
 * Builds the console in parallel with everything that does not need it. The API works without a console, so a failure
 * is only reported.
 */
async function makeConsole({ environment }: StackConfig, screen: Screen): Promise<void> {
  const onBuild = () => screen.line('Building the console (first start, or its sources changed)…');
  await buildConsole({ environment, onBuild }).catch((error: unknown) => screen.problem(explainError(error)));
}

async function claimPorts(
  config: StackConfig,
  held: HeldDirectory,
): Promise<{ port: number; studioPort: number }> {
  const waitMs = held.afterCrash ? afterCrashMs : 0;
  const [port, studioPort] = await Promise.all([
    claimPort({ name: 'PORT', host: config.host, port: config.port, waitMs }),
    claimPort({ name: 'STUDIO_PORT', host: config.host, port: config.studioPort, waitMs }),
  ]);
  return { port, studioPort };
}

/**
 * Shows a demo account, if one is wanted, on the first start of a database, before anything serves. On every start,
 * shows what to do when nobody has an account.
 */
async function welcome(
  config: StackConfig,
  environments: PartEnvironments,
  show: { demo: (demo: DemoAccount) => void; nobody: () => void },
): Promise<void> {
  const open = (url: string | undefined) =>
    openDatabase({ url: url ?? '', applicationName: 'stack', poolSize: 2 });
  await using service = open(environments.service['DATABASE_URL']);
  const isFirst = !(await wasStartedBefore(service.url));
  if (isFirst && config.demo) {
    await using studio = open(environments.studio['STUDIO_DATABASE_URL']);
    // Loaded only once: the module includes the studio's sign-in, which would cost every start half a second.
    const { makeDemo } = await import('./demo-account.ts');
    show.demo(await makeDemo({ service, studio, environments }, { administrator: config.isForThisMachine }));
  } else if (!(await holdsAccounts(service.url))) show.nobody();
  // Stored last: if a start is killed before, the next one creates a new password and key, so that those shown always
  // work.
  if (isFirst) await rememberFirstStart(service.url, config.demo ? 'demo' : 'plain');
}

type Parts = Record<'studio' | 'worker' | 'service', SupervisedPart>;

type PartsOptions = {
  environments: PartEnvironments;
  config: StackConfig;
  databases: Databases;
  outageOf: (name: string, log: string) => Outage;
  entries?: PartEntries;
};

const nodeOptions: Partial<Record<keyof Parts, readonly string[]>> = {
  service: serviceNodeOptions,
  worker: workerNodeOptions,
};

function startParts(options: PartsOptions): Parts {
  const { environments, config, databases, outageOf, entries = ownEntries } = options;
  const start = (name: keyof Parts) => {
    const outage = outageOf(name, `${name}.log`);
    return supervise({
      name,
      entry: entries[name],
      ...(nodeOptions[name] !== undefined && { nodeOptions: nodeOptions[name] }),
      environment: environments[name],
      logDirectory: filesOf(config.dataDirectory).logs,
      onDeath: outage.down,
      onReady: outage.up,
      ...(databases.embedded !== undefined && { needs: databases.embedded }),
    });
  };
  return { studio: start('studio'), worker: start('worker'), service: start('service') };
}

/**
 * Waits until every part reports that it serves, and `/readyz` of the service, at its listening address, is ready too.
 * @throws StackError
 */
async function untilReady(parts: Parts, listening: string, signal: AbortSignal): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(readyLimitMs)]);
  const stopped = new Promise<never>((_, reject) => {
    limit.addEventListener('abort', () =>
      reject(
        signal.aborted
          ? (signal.reason as Error)
          : new StackError('The parts did not become ready within two minutes: see their logs.'),
      ),
    );
  });
  const ready = Promise.all(Object.values(parts).map((part) => part.ready)).then(() =>
    untilGreen(listening, limit),
  );
  const given = Promise.race(Object.values(parts).map((part) => part.failed)).then((error) => {
    throw error;
  });
  await Promise.race([ready, given, stopped]);
}

async function untilGreen(address: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const answer = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(
      () => undefined,
    );
    await answer?.body?.cancel();
    if (answer?.ok === true) return;
    await sleep(readyPollMs);
  }
}
