import { privateDirectoryMode, setMode } from '@renderkit/server-kit/files/private-files.ts';
import { MigrationMismatch } from '@renderkit/server-kit/schema/check-release.ts';
import type { MigrationResult } from '@renderkit/server-kit/schema/migrate.ts';
import type { DatabaseUrls, StackConfig } from './config.ts';
import { type Postgres, type PostgresOptions, startPostgres } from './postgres/start-postgres.ts';
import { StackError } from './stack-error.ts';
import { readDatabaseFacts } from './store.ts';

/** The databases of the embedded cluster, which are also its roles. */
export const databaseNames = ['service', 'studio'] as const;
// Loaded while PostgreSQL starts: together they take a quarter of a second, because the studio's module includes its
// job queue.
const migrations: Record<
  keyof DatabaseUrls,
  () => Promise<(url: string, signal?: AbortSignal) => Promise<MigrationResult & { kept?: string[] }>>
> = {
  service: async () => (await import('@renderkit/service/migrate.ts')).migrateService,
  studio: async () => (await import('@renderkit/studio/migrate.ts')).migrateStudio,
};
/** The oldest PostgreSQL that the tests run on. */
const oldestVersion = 15;

export type Databases = AsyncDisposable & {
  urls: DatabaseUrls;
  /** The embedded server; `undefined` for external databases. */
  embedded: Postgres | undefined;
};

/** Starts the embedded PostgreSQL, or uses the external databases. The caller must hold the data directory. */
export async function openDatabases(
  config: StackConfig,
  watcher: Pick<PostgresOptions, 'onDown' | 'onUp'> = {},
): Promise<Databases> {
  if (config.external !== undefined) {
    await setMode(config.dataDirectory, privateDirectoryMode);
    return { urls: config.external, embedded: undefined, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  // Only preloads the modules: errors are reported where the modules are used.
  Promise.all(databaseNames.map((name) => migrations[name]())).catch(() => undefined);
  const postgres = await startPostgres({
    dataDirectory: config.dataDirectory,
    databases: databaseNames,
    ...watcher,
    ...(config.postgresUser !== undefined && { osUser: config.postgresUser }),
  });
  return {
    urls: urlsOf(postgres),
    embedded: postgres,
    [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose](),
  };
}

export function urlsOf(postgres: Pick<Postgres, 'urlFor'>): DatabaseUrls {
  return { service: postgres.urlFor('service'), studio: postgres.urlFor('studio') };
}

/**
 * Checks that both databases keep what they commit, and updates their tables. Returns the names of the product's models
 * and lists that were changed here, so this version does not replace them.
 * @throws StackError
 */
export async function prepareDatabases(urls: DatabaseUrls, signal?: AbortSignal): Promise<string[]> {
  // Waits for both: when one is refused, the server must not be stopped while the other is being prepared.
  const outcomes = await Promise.allSettled(
    databaseNames.map((name) => prepareDatabase(name, urls[name], signal)),
  );
  return outcomes.flatMap((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

/** Prepares one of the databases. @throws StackError */
export async function prepareDatabase(
  name: keyof DatabaseUrls,
  url: string,
  signal?: AbortSignal,
): Promise<string[]> {
  const variable = variableOf(name);
  const facts = await readDatabaseFacts(url).catch((error: unknown) => {
    throw unreachable(name, error);
  });
  if (facts.version < oldestVersion)
    throw new StackError(
      `The database of the ${name} is PostgreSQL ${facts.version}: set ${variable} to a PostgreSQL ${oldestVersion} or newer.`,
    );
  if (facts.encoding !== 'UTF8')
    throw new StackError(
      `The database of the ${name} is encoded in ${facts.encoding}: make it with encoding UTF8.`,
    );
  // Everything that was reported to a client as accepted must survive a power cut.
  for (const [setting, value] of [
    ['fsync', facts.fsync],
    ['synchronous_commit', facts.synchronousCommit],
  ] as const)
    if (value === 'off')
      throw new StackError(
        `PostgreSQL has ${setting} off for the database of the ${name}: turn it on, or a power cut loses jobs.`,
      );
  const apply = await migrations[name]();
  const { kept = [] } = await apply(url, signal).catch((error: unknown) => {
    if (error instanceof MigrationMismatch)
      throw new StackError(`The database of the ${name} does not fit this version: ${error.message}.`, {
        cause: error,
      });
    throw error;
  });
  return kept;
}

/** Returns the error for a database that does not answer. */
export function unreachable(name: keyof DatabaseUrls, cause: unknown): StackError {
  return new StackError(
    `The database of the ${name} cannot be reached (${cause instanceof Error ? cause.message : String(cause)}): check ${variableOf(name)} and that PostgreSQL runs there.`,
    { cause },
  );
}

function variableOf(name: keyof DatabaseUrls): string {
  return name === 'service' ? 'DATABASE_URL' : 'STUDIO_DATABASE_URL';
}
