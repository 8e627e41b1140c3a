import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type Database, openDatabase } from '../db/database.ts';

export type TestDatabase = AsyncDisposable & { url: string; database: Database };

/**
 * Creates a separate database for one test file: copied from a migrated template, dropped at the end. Needs the cluster
 * that tools/test/main.ts starts.
 */
export async function createTestDatabase(
  template: 'service' | 'studio' | 'empty',
  options: { poolSize?: number } = {},
): Promise<TestDatabase> {
  const name = `test_${template}_${randomBytes(6).toString('hex')}`;
  // Copies the files; copying through the log would take several times as long.
  await onCluster(`create database ${name} template template_${template} strategy file_copy`);
  const url = urlOf(name);
  const database = openDatabase({ url, poolSize: options.poolSize ?? 10, applicationName: 'test' });
  return {
    url,
    database,
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      await onCluster(`drop database if exists ${name} with (force)`);
    },
  };
}

/** Moves the clock of the database: from now on `clock()` returns the true time plus this many seconds. */
export async function moveClock(database: Database, seconds: number): Promise<void> {
  await database.rows(
    `create or replace function clock() returns timestamptz language sql stable
     as $$ select statement_timestamp() + interval '${seconds} seconds' $$`,
  );
}

/**
 * Ends the sessions that killed processes left at the server, and waits until they are gone. Otherwise such a session
 * would first finish its statement and hold its locks, while the next test already removes the rows.
 */
export async function endSessionsOf(database: Database, applicationName: string): Promise<void> {
  await database.rows(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and application_name = $1`,
    [applicationName],
  );
}

/** Returns the URL of a database in the test cluster. */
export function urlOf(name: string): string {
  const url = clusterUrl();
  return url.includes('/postgres') ? url.replace(/\/postgres(?=$|\?)/, `/${name}`) : url;
}

/** Shared by all databases, because a session costs half as much as a copy. It does not keep the process alive. */
let cluster: pg.Pool | undefined;

async function onCluster(statement: string): Promise<void> {
  cluster ??= new pg.Pool({ connectionString: clusterUrl(), max: 2, allowExitOnIdle: true }).on(
    'error',
    // The next statement uses another connection.
    () => undefined,
  );
  // Copying a template fails while another copy runs; PostgreSQL reports 55006.
  for (let attempt = 1; ; attempt++) {
    try {
      await cluster.query(statement);
      return;
    } catch (error) {
      if ((error as pg.DatabaseError).code !== '55006' || attempt === 50) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function clusterUrl(): string {
  const url = process.env['TEST_POSTGRES_URL'];
  if (url === undefined) throw new Error('TEST_POSTGRES_URL is not set: run tests with `npm test -- <file>`');
  return url;
}
