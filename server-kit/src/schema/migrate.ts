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
  /** How many migrations had been applied before. */
  already: number;
};

export type MigrateOptions = {
  url: string;
  /** A server's `sql` folder. */
  directory: string;
  /** The release of this code. Tests set it to act as older and newer versions. */
  release?: number;
  /** Ends the wait for another process. A migration that is running is still completed. */
  signal?: AbortSignal | undefined;
  /** Tests set shorter waits. */
  patience?: Patience;
  /** The `lock_timeout` for indexes that are built concurrently. Tests set a shorter one. */
  buildLockTimeoutMs?: number;
};

/**
 * Other statements wait behind a statement that waits for a lock. So the statement stops waiting after this time and
 * retries.
 */
const lockTimeoutMs = 150;
/**
 * Building an index concurrently blocks no reader or writer, but waits for older transactions. This limit is longer
 * than any of our transactions may take. After a time-out all the reading was in vain.
 */
const buildLockTimeoutMs = 15_000;
/** An autovacuum yields only to a session that has waited for it for a second (`deadlock_timeout`). */
const autovacuumTimeoutMs = 5_000;
const lockRetryMs = { initial: 50, max: 1_000 };
/** After this time a migration that never got its lock fails. It leaves no changes behind. */
const lockPatienceMs = 120_000;
const lockNotAvailable = '55P03';

/**
 * Brings a database up to date. First applies each missing migration in its own transaction, in the order of their
 * numbers. Then applies all changed functions together with the release number in one transaction. Holds an advisory
 * lock throughout, so that any number of processes may start at once. Changes nothing in a database that a newer
 * release prepared. `tools/architecture/check-sql.ts` checks what a migration may contain.
 * @throws MigrationMismatch when this code must not run on the database, ConfigError when another process keeps the
 * lock
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

/** Records the migration together with its last step. After a kill before that, all steps are applied again. */
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
 * Takes the lock that a vacuum takes, on the tables that the text alters. This lock blocks no reader or writer, so
 * waiting for it is harmless. The wait ends when an autovacuum yields, which may otherwise run for hours on a large
 * table.
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

/**
 * Drops invalid indexes that the text builds. When building an index was interrupted, an invalid index remains, and the
 * statement that builds it would skip it.
 */
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
  // A newer release prepared the database. Its functions serve this code too and are not replaced.
  if (release < state.release) return [];
  const changed = files.filter(({ name, sha256 }) => state.functions.get(name) !== sha256);
  if (changed.length === 0 && release === state.release) return [];
  await withLocks(client, async () => {
    // The functions may call each other in any order.
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

/** Runs one transaction, and repeats it while another session holds a lock that it needs. */
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

/** Repeats the attempt while another session holds a lock that it needs. */
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
