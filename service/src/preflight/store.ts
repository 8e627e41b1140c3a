import type { Database } from '@renderkit/server-kit/database.ts';

/** Settings of the server as this session has them. */
export async function readServerSettings(
  database: Database,
  names: readonly string[],
): Promise<Map<string, string>> {
  const rows = await database.rows<{ name: string; setting: string }>(
    'select name, setting from pg_settings where name = any($1)',
    [names],
  );
  return new Map(rows.map(({ name, setting }) => [name, setting]));
}

/** Names of the migrations that were applied; empty where none ever was. */
export async function readMigrations(database: Database): Promise<string[]> {
  const [table] = await database.rows<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  );
  if (table?.exists !== true) return [];
  const rows = await database.rows<{ name: string }>('select name from schema_migrations order by name');
  return rows.map(({ name }) => name);
}

/** Keeps a setting if it has no value yet, and gives back the one it has. */
export async function keepSetting(database: Database, name: string, value: string): Promise<string> {
  await database.rows('insert into settings (name, value) values ($1, $2) on conflict do nothing', [
    name,
    value,
  ]);
  const [row] = await database.rows<{ value: string }>('select value from settings where name = $1', [name]);
  if (row === undefined) throw new Error(`the setting ${name} is not there`);
  return row.value;
}
