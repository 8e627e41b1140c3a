import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';
import { openDatabase } from '@renderkit/server-kit/database.ts';
import { buildConsole } from './build-console.ts';
import { addressOf, partEnvironments, type PartEnvironments, type StackConfig } from './config.ts';
import { filesOf, type HeldDirectory, holdDataDirectory } from './data-directory.ts';
import { type Databases, openDatabases, prepareDatabases } from './databases.ts';
import { keepSecrets } from './kept-secrets.ts';
import { claimPort } from './ports.ts';
import { type Addresses, type DemoAccount, type Screen, showDemo, showOverview } from './screen.ts';
import { StackError } from './stack-error.ts';
import { rememberFirstStart, wasStartedBefore } from './store.ts';
import { supervise, type SupervisedPart } from './supervise.ts';
import { tellError } from './tell-error.ts';

export type Stack = AsyncDisposable & {
  addresses: Addresses;
  /** Settles, with what to tell, when a part was given up; the stack is to be disposed then. */
  failed: Promise<Error>;
};

/** Ports held by what a killed stack left behind are free within this. */
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

/**
 * Starts everything on this machine in order and answers when it serves. What was started is stopped again when
 * anything fails or the signal aborts. Tests may give other programs as `entries`.
 * @throws StackError for what an operator can mend
 */
export async function startStack(
  config: StackConfig,
  options: { screen: Screen; signal: AbortSignal; entries?: PartEntries },
): Promise<Stack> {
  const started = performance.now();
  await using owned = new AsyncDisposableStack();
  const held = owned.use(await holdDataDirectory(config.dataDirectory));
  const ports = await claimPorts(config, held);
  const built = makeConsole(config, options.screen);
  const databases = owned.use(
    await openDatabases(config, (reason) => options.screen.problem(`${reason}; it is started again`)),
  );
  owned.defer(() => held.sayStopping());
  options.signal.throwIfAborted();
  const secrets = await keepSecrets(config, databases);
  await prepareDatabases(databases.urls);
  options.signal.throwIfAborted();
  const environments = partEnvironments(config, { databases: databases.urls, ...ports, ...secrets });
  const addresses = {
    service: addressOf(config.host, ports.port),
    studio: addressOf(config.host, ports.studioPort),
    console: `${environments.service['PUBLIC_URL']}${consoleAddresses.home}`,
  };
  showOverview(options.screen, {
    addresses,
    dataDirectory: config.dataDirectory,
    logs: filesOf(config.dataDirectory).logs,
    database:
      databases.embedded === undefined
        ? 'external (DATABASE_URL, STUDIO_DATABASE_URL)'
        : 'built-in PostgreSQL',
  });
  await welcome(config, environments, (demo) => showDemo(options.screen, demo, addresses));
  await built;
  const parts = startParts({ environments, config, databases, ...options });
  // Disposed in this order: nothing new comes in, what runs ends, and last who serves the others.
  for (const part of [parts.studio, parts.worker, parts.service]) owned.use(part);
  owned.defer(() => held.sayStopping());
  const failures = [databases.embedded, ...Object.values(parts)].flatMap((part) =>
    part === undefined ? [] : [part.failed],
  );
  await untilReady({ parts, addresses, failures, signal: options.signal });
  options.screen.line();
  options.screen.heading(
    `  Ready after ${((performance.now() - started) / 1000).toFixed(1)} s. Press Ctrl-C to stop.`,
  );
  options.screen.line();
  const ours = owned.move();
  return { addresses, failed: Promise.race(failures), [Symbol.asyncDispose]: () => ours.disposeAsync() };
}

/** Beside all that needs no console. Without one the API serves all the same, so that its failure is told and no end. */
async function makeConsole({ environment }: StackConfig, screen: Screen): Promise<void> {
  const onBuild = () => screen.line('Building the console (first start, or its sources changed)…');
  await buildConsole({ environment, onBuild }).catch((error: unknown) => screen.problem(tellError(error)));
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

/** On the first start of a database shows a demo account, if one is wanted, before anything serves. */
async function welcome(
  config: StackConfig,
  environments: PartEnvironments,
  show: (demo: DemoAccount) => void,
): Promise<void> {
  const open = (url: string | undefined) =>
    openDatabase({ url: url ?? '', applicationName: 'stack', poolSize: 2 });
  await using service = open(environments.service['DATABASE_URL']);
  if (await wasStartedBefore(service.url)) return;
  await using studio = open(environments.studio['STUDIO_DATABASE_URL']);
  if (config.demo) {
    // Loaded for this one time: it brings the studio's sign-in, which would cost every start half a second.
    const { makeDemo } = await import('./demo-account.ts');
    show(await makeDemo({ service, studio, environments }));
  }
  // Only now: a start that was killed before makes password and key anew, so that what a person sees always works.
  await rememberFirstStart(service.url, config.demo ? 'demo' : 'plain');
}

type Parts = Record<'studio' | 'worker' | 'service', SupervisedPart>;

type PartsOptions = {
  environments: PartEnvironments;
  config: StackConfig;
  databases: Databases;
  screen: Screen;
  entries?: PartEntries;
};

function startParts({ environments, config, databases, screen, entries = ownEntries }: PartsOptions): Parts {
  const start = (name: keyof Parts) =>
    supervise({
      name,
      entry: entries[name],
      environment: environments[name],
      logDirectory: filesOf(config.dataDirectory).logs,
      onDeath: (reason) => screen.problem(`${reason}; it is started again`),
      ...(databases.embedded !== undefined && { needs: databases.embedded }),
    });
  return { studio: start('studio'), worker: start('worker'), service: start('service') };
}

type Waited = {
  parts: Parts;
  addresses: { service: string; studio: string };
  failures: Promise<Error>[];
  signal: AbortSignal;
};

/** Waits until every part says that it serves and the service's `/readyz` agrees. */
async function untilReady({ parts, addresses, failures, signal }: Waited): Promise<void> {
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
    untilGreen(addresses.service, limit),
  );
  const given = Promise.race(failures).then((error) => {
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
