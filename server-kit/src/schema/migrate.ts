import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { queryable, sqlState } from '../db/database.ts';
import { checkRelease } from './check-release.ts';
import {
  type FunctionFile,
  type MigrationFile,
  type MigrationStep,
  readSchemaFiles,
} from './read-schema-files.ts';
import { release as ownRelease } from './release.ts';
import {
  connectToMigrate,
  ordinaryPatience,
  type Patience,
  takeMigrationLock,
} from './take-migration-lock.ts';
import { createStateTables, readSchemaState, type SchemaState } from './schema-state.ts';

export type MigrationResult = {
  /** Names of the migrations and of the functions that were applied now. */
  applied: string[];
  functions: string[];
  /** How many migrations were there before. */
  already: number;
};

export type MigrateOptions = {
  url: string;
  /** A server's `sql` folder. */
  directory: string;
  /** What this code says of itself; tests play older and newer versions. */
  release?: number;
  /** Ends the wait for another process; what is being applied is applied to its end. */
  signal?: AbortSignal | undefined;
  /** Tests wait shorter. */
  patience?: Patience;
  /** The same: `lock_timeout` of what is built beside the traffic. */
  buildLockTimeoutMs?: number;
};

/** A statement that waits for a lock lets others wait behind it: it steps aside after this long and comes again. */
const lockTimeoutMs = 150;
/**
 * An index that is built concurrently holds up nobody who reads or writes, and waits for transactions that are older than
 * it: longer than any of ours may take. One that is given up was read in vain.
 */
const buildLockTimeoutMs = 15_000;
/** An autovacuum gives way to who has waited for it for a second (`deadlock_timeout`), and to nobody before. */
const autovacuumTimeoutMs = 5_000;
const lockRetryMs = { initial: 50, max: 1_000 };
/** After this long a migration that never got its lock is given up; nothing of it is left behind. */
const lockPatienceMs = 120_000;
const lockNotAvailable = '55P03';

/**
 * Brings a database up to date: the numbered migrations that it has not seen, in a transaction each, then the
 * functions whose text changed, in one transaction together with the release number. All of it under an advisory
 * lock, so that any number of processes may start at once. On a database that a newer release prepared nothing is
 * changed.
 * @throws MigrationMismatch where this code must not run on the database, ConfigError where another process keeps the lock
 */
export async function migrate(options: MigrateOptions): Promise<MigrationResult> {
  const release = options.release ?? ownRelease;
  const files = await readSchemaFiles(options.directory);
  const client = await connectToMigrate(options.url);
  try {
    await takeMigrationLock(client, options.patience ?? ordinaryPatience, options.signal);
    await createStateTables(queryable(client));
    const state = await readSchemaState(queryable(client));
    checkRelease(state, files.migrations, release);
    const missing = files.migrations.filter(({ name }) => !state.migrations.has(name));
    for (const file of missing)
      await applyMigration(client, file, options.buildLockTimeoutMs ?? buildLockTimeoutMs);
    const functions = await applyFunctions(client, { files: files.functions, state, release });
    return {
      applied: missing.map(({ name }) => name),
      functions,
      already: files.migrations.length - missing.length,
    };
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** It is recorded with its last step: whoever is killed before that takes all steps again. */
async function applyMigration(client: pg.Client, file: MigrationFile, buildTimeoutMs: number): Promise<void> {
  const record = async () => {
    await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [
      file.name,
      file.sha256,
    ]);
  };
  try {
    for (const step of file.steps)
      await applyStep(client, step, {
        buildTimeoutMs,
        record: step === file.steps.at(-1) ? record : undefined,
      });
  } catch (error) {
    throw new Error(`migration ${file.name} failed: ${(error as Error).message}`, { cause: error });
  }
}

async function applyStep(
  client: pg.Client,
  { text, outsideTransaction }: MigrationStep,
  { buildTimeoutMs, record }: { buildTimeoutMs: number; record: (() => Promise<void>) | undefined },
): Promise<void> {
  if (!outsideTransaction)
    return withLocks(client, async () => {
      await takeFromAutovacuum(client, text);
      await client.query(text);
      await record?.();
    });
  await retryForLocks(async () => {
    await client.query(`set lock_timeout = ${buildTimeoutMs}`);
    await dropInvalidIndexes(client, text);
    await client.query(text);
    await record?.();
  });
  await client.query('reset lock_timeout');
}

/**
 * Takes the lock of a vacuum on the tables that the text alters. It holds up nobody who reads or writes, so that it can be waited for
 * until an autovacuum has given way, which may be at a large table for hours.
 */
async function takeFromAutovacuum(client: pg.Client, text: string): Promise<void> {
  const names = [...text.matchAll(/\balter\s+table\s+(?:if\s+exists\s+)?(\w+)/gi)].map(([, name]) => name);
  const { rows } = await client.query<{ name: string }>(
    `select distinct name from unnest($1::text[]) as name where to_regclass(name) is not null order by name`,
    [names],
  );
  if (rows.length === 0) return;
  const tables = rows.map(({ name }) => pg.escapeIdentifier(name)).join(', ');
  await client.query(`set local lock_timeout = ${autovacuumTimeoutMs}`);
  await client.query(`lock table ${tables} in share update exclusive mode`);
  await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
}

/** An index whose building was cut off is there and not valid; the statement that builds it would pass it over. */
async function dropInvalidIndexes(client: pg.Client, text: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
      where not i.indisvalid and c.relnamespace = current_schema()::regnamespace`,
  );
  for (const { name } of rows)
    if (new RegExp(`\\b${name}\\b`).test(text))
      await client.query(`drop index concurrently if exists ${pg.escapeIdentifier(name)}`);
}

async function applyFunctions(
  client: pg.Client,
  { files, state, release }: { files: FunctionFile[]; state: SchemaState; release: number },
): Promise<string[]> {
  // A newer release has been here: its functions serve this code too, and are not taken back.
  if (release < state.release) return [];
  const changed = files.filter(({ name, sha256 }) => state.functions.get(name) !== sha256);
  if (changed.length === 0 && release === state.release) return [];
  await withLocks(client, async () => {
    // They may call each other in any order.
    await client.query('set local check_function_bodies = off');
    for (const { name, text, sha256 } of changed) {
      await client.query(text).catch((error: Error) => {
        throw new Error(`function ${name} could not be made: ${error.message}`, { cause: error });
      });
      await client.query(
        `insert into schema_functions (name, sha256) values ($1, $2)
         on conflict (name) do update set sha256 = excluded.sha256, applied_at = statement_timestamp()`,
        [name, sha256],
      );
    }
    await client.query(
      `insert into schema_release as now (release, oldest_release) values ($1, $2)
       on conflict (only_row) do update
         set release = excluded.release, oldest_release = greatest(now.oldest_release, excluded.oldest_release)`,
      [release, Math.max(release - 1, 0)],
    );
  });
  return changed.map(({ name }) => name);
}

/** One transaction, begun anew for as long as somebody else holds a lock that it needs. */
function withLocks(client: pg.Client, work: () => Promise<void>): Promise<void> {
  return retryForLocks(async () => {
    try {
      await client.query('begin');
      await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
      await work();
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  });
}

/** Tries again for as long as somebody else holds a lock that is needed. */
async function retryForLocks(attempt: () => Promise<void>): Promise<void> {
  const giveUpAt = performance.now() + lockPatienceMs;
  for (let pauseMs = lockRetryMs.initial; ; pauseMs = Math.min(pauseMs * 2, lockRetryMs.max)) {
    try {
      await attempt();
      return;
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      if (sqlState(cause) !== lockNotAvailable || performance.now() > giveUpAt) throw error;
    }
    await sleep(pauseMs);
  }
}
