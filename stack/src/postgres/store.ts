import { Client, DatabaseError } from 'pg';
import type { ClusterConnection } from './connection.ts';
import { databaseUrl, rolePassword, superuser } from './connection.ts';

const databaseName = /^[a-z][a-z0-9_]{0,40}$/;

/** Creates the databases that are missing, each with a role of its name that owns it. */
export async function ensureDatabases(cluster: ClusterConnection, names: readonly string[]): Promise<void> {
  const client = new Client({
    connectionString: databaseUrl(cluster, 'postgres', superuser),
    application_name: 'stack',
  });
  // If the connection breaks between two statements, the next statement throws.
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (const name of names) {
      // Names are put into statements unescaped, so only plain names are allowed.
      if (!databaseName.test(name)) throw new Error(`${name} is no name for a database`);
      const role = await client.query('select 1 from pg_roles where rolname = $1', [name]);
      if (role.rowCount === 0) {
        await client.query(`create role ${name} login password '${rolePassword(cluster, name)}'`);
        // Lets the role see the age of the oldest snapshot of other roles.
        await client.query(`grant pg_read_all_stats to ${name}`);
      }
      const database = await client.query('select 1 from pg_database where datname = $1', [name]);
      if (database.rowCount !== 0) continue;
      await client.query(`create database ${name} owner ${name}`);
      await client.query(`revoke connect on database ${name} from public`);
    }
  } finally {
    await client.end();
  }
}

export type ServerIdentity = {
  dataDirectory: string;
  /** Whole seconds since 1970. */
  startedAt: number;
};

/**
 * Returns the identity of a server; `undefined` when the server refuses connections now: it is starting, stopping or
 * full. A server that accepts the password and names the directory is the server of that directory.
 */
export async function identifyServer(cluster: ClusterConnection): Promise<ServerIdentity | undefined> {
  const client = new Client({
    connectionString: databaseUrl(cluster, 'postgres', superuser),
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<ServerIdentity>(
      `select current_setting('data_directory') as "dataDirectory",
              floor(extract(epoch from pg_postmaster_start_time()))::int as "startedAt"`,
    );
    return rows[0];
  } catch (error) {
    if (error instanceof DatabaseError || isConnectionError(error)) return undefined;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Returns whether the server has another password than the given one. */
export function isRefusedPassword(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '28P01';
}

function isConnectionError(error: unknown): boolean {
  return error instanceof Error && ('code' in error || /timeout|terminated/i.test(error.message));
}
