import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '@renderkit/server-kit/config.ts';
import type { Database } from '@renderkit/server-kit/database.ts';
import { readMigrations, readServerSettings } from './store.ts';

export const migrationsDirectory = path.resolve(import.meta.dirname, '../../migrations');

const oldestVersion = 150_000;

/**
 * Refuses to start on a database that would lose what it has acknowledged, or whose tables are not ours.
 * @throws ConfigError
 */
export async function checkDatabase(database: Database): Promise<void> {
  const settings = await readServerSettings(database, [
    'fsync',
    'synchronous_commit',
    'full_page_writes',
    'server_version_num',
    'server_encoding',
  ]).catch((error: Error) => {
    throw new ConfigError(`The database of DATABASE_URL cannot be used: ${error.message}.`, { cause: error });
  });
  const demand = (fine: boolean, sentence: string) => {
    if (!fine) throw new ConfigError(`The database of DATABASE_URL does not serve: ${sentence}`);
  };
  demand(Number(settings.get('server_version_num')) >= oldestVersion, 'PostgreSQL must be 15 or newer.');
  demand(settings.get('server_encoding') === 'UTF8', 'its encoding must be UTF8.');
  for (const name of ['fsync', 'full_page_writes'])
    demand(settings.get(name) === 'on', `${name} must be on, or a loss of power loses what was promised.`);
  demand(
    settings.get('synchronous_commit') !== 'off',
    'synchronous_commit must not be off, or a loss of power loses what was promised.',
  );
  const missing = await missingMigrations(database);
  demand(missing.length === 0, `migration ${missing[0]} has not been applied; npm run migrate does it.`);
}

/** Names of our migrations that the database has not seen. */
export async function missingMigrations(database: Database): Promise<string[]> {
  const applied = new Set(await readMigrations(database));
  const ours = (await readdir(migrationsDirectory)).filter((name) => name.endsWith('.sql')).sort();
  return ours.filter((name) => !applied.has(name));
}
