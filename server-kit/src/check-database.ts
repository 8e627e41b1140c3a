import { readdir } from 'node:fs/promises';
import { ConfigError } from './config.ts';
import type { Database } from './database.ts';

const oldestVersion = 150_000;

/**
 * Refuses to start on a database that would lose what it has acknowledged, or that has not been migrated.
 * `variable` is the one that names the database, for the sentence that the operator reads.
 * @throws ConfigError
 */
export async function checkDatabase(
  database: Database,
  options: { variable: string; migrationsDirectory: string },
): Promise<void> {
  const rows = await database
    .rows<{ name: string; setting: string }>(
      `select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit',
         'server_version_num', 'server_encoding')`,
    )
    .catch((error: Error) => {
      throw new ConfigError(`The database of ${options.variable} cannot be used: ${error.message}.`, {
        cause: error,
      });
    });
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
  const demand = (fine: boolean, sentence: string) => {
    if (!fine) throw new ConfigError(`The database of ${options.variable} does not serve: ${sentence}`);
  };
  demand(Number(settings.get('server_version_num')) >= oldestVersion, 'PostgreSQL must be 15 or newer.');
  demand(settings.get('server_encoding') === 'UTF8', 'its encoding must be UTF8.');
  for (const name of ['fsync', 'full_page_writes'])
    demand(settings.get(name) === 'on', `${name} must be on, or a loss of power loses what was promised.`);
  demand(
    settings.get('synchronous_commit') !== 'off',
    'synchronous_commit must not be off, or a loss of power loses what was promised.',
  );
  const missing = await missingMigrations(database, options.migrationsDirectory);
  demand(missing.length === 0, `migration ${missing[0]} has not been applied; npm run migrate does it.`);
}

async function missingMigrations(database: Database, directory: string): Promise<string[]> {
  const [table] = await database.rows<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  );
  const rows =
    table?.exists === true ? await database.rows<{ name: string }>('select name from schema_migrations') : [];
  const applied = new Set(rows.map(({ name }) => name));
  return (await readdir(directory)).filter((name) => name.endsWith('.sql') && !applied.has(name)).sort();
}
