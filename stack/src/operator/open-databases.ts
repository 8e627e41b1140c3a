import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { partEnvironments, type StackConfig } from '../config.ts';
import type { ServiceAndStudio } from '../connect-to-service.ts';
import { tryToHold } from '../data-directory.ts';
import { type Databases, openDatabases, prepareDatabases, urlsOf } from '../databases.ts';
import { ensureSecrets } from '../stored-secrets.ts';
import { type ClusterAddresses, findRunningPostgres } from '../postgres/start-postgres.ts';
import { StackError } from '../stack-error.ts';

export type OperatorDatabases = AsyncDisposable &
  ServiceAndStudio & {
    /** The embedded cluster; `undefined` for external databases. */
    embedded: ClusterAddresses | undefined;
  };

/** A stack that is starting has its database within this time. */
const patienceMs = 60_000;
const pollMs = 100;

/**
 * Opens both databases as the stack would: those of a running stack, else the embedded ones, else the external ones.
 * Runs the embedded server while the databases are open here.
 * @throws StackError
 */
export async function openOperatorDatabases(config: StackConfig): Promise<OperatorDatabases> {
  await using owned = new AsyncDisposableStack();
  const databases = await reachDatabases(config, owned);
  const secrets = await ensureSecrets(config, databases.urls);
  const open = (name: 'service' | 'studio') =>
    owned.use(openDatabase({ url: databases.urls[name], applicationName: 'operator', poolSize: 4 }));
  const opened = { service: open('service'), studio: open('studio') };
  const environments = partEnvironments(config, {
    databases: databases.urls,
    port: config.port,
    studioPort: config.studioPort,
    ...secrets,
  });
  const ours = owned.move();
  return {
    ...opened,
    environments,
    embedded: databases.embedded,
    [Symbol.asyncDispose]: () => ours.disposeAsync(),
  };
}

type Reached = Pick<Databases, 'urls'> & { embedded: ClusterAddresses | undefined };

async function reachDatabases(config: StackConfig, owned: AsyncDisposableStack): Promise<Reached> {
  if (config.external !== undefined) {
    await prepareDatabases(config.external);
    return { urls: config.external, embedded: undefined };
  }
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    const held = await tryToHold(config.dataDirectory, 'operator');
    if (typeof held === 'object') {
      owned.use(held);
      const databases = owned.use(await openDatabases(config));
      await prepareDatabases(databases.urls);
      return databases;
    }
    // Waits for other commands and for a stack that stops: they would stop the database during this command.
    const running = held === 'stack' ? await joinRunning(config) : undefined;
    if (running !== undefined) return running;
    await sleep(pollMs);
  }
  throw new StackError(
    `Another process uses ${config.dataDirectory} and its database does not answer: stop it, or wait and try again.`,
  );
}

async function joinRunning(config: StackConfig): Promise<Reached | undefined> {
  const running = await findRunningPostgres({
    dataDirectory: config.dataDirectory,
    ...(config.postgresUser !== undefined && { osUser: config.postgresUser }),
  });
  return running && { urls: urlsOf(running), embedded: running };
}
