import type { Queryable } from '../db/database.ts';

/** What a database stores about the releases that prepared it. */
export type SchemaState = {
  /** The newest release that prepared the database; 0 if only versions without a release number did. */
  release: number;
  /** The oldest release that may run on the database. */
  oldestRelease: number;
  /** Names of migrations and of functions, with the hashes of their texts. */
  migrations: Map<string, string>;
  functions: Map<string, string>;
};

const tables = ['schema_migrations', 'schema_functions', 'schema_release'];

/** Creates the missing tables for the history of the schema. */
export async function createStateTables(database: Queryable): Promise<void> {
  await database.execute(
    `create table if not exists schema_migrations (
       name text primary key, sha256 text not null, applied_at timestamptz not null default statement_timestamp());
     create table if not exists schema_functions (
       name text primary key, sha256 text not null, applied_at timestamptz not null default statement_timestamp());
     create table if not exists schema_release (
       only_row boolean primary key default true check (only_row), release integer not null, oldest_release integer not null)`,
  );
}

/** Reads what the database stores. The result is empty when the database was never prepared. */
export async function readSchemaState(database: Queryable): Promise<SchemaState> {
  const there = await database.rows<{ name: string }>(
    `select name from unnest($1::text[]) as name where to_regclass(name) is not null`,
    [tables],
  );
  const has = new Set(there.map(({ name }) => name));
  const hashes = async (table: string) =>
    has.has(table)
      ? await database.rows<{ name: string; sha256: string }>(`select name, sha256 from ${table}`)
      : [];
  const [numbers] = has.has('schema_release')
    ? await database.rows<{ release: number; oldest_release: number }>(
        'select release, oldest_release from schema_release',
      )
    : [];
  return {
    release: numbers?.release ?? 0,
    oldestRelease: numbers?.oldest_release ?? 0,
    migrations: toMap(await hashes('schema_migrations')),
    functions: toMap(await hashes('schema_functions')),
  };
}

function toMap(rows: { name: string; sha256: string }[]): Map<string, string> {
  return new Map(rows.map(({ name, sha256 }) => [name, sha256]));
}
