import type { Database } from '../db/database.ts';
import { ConfigError } from '../process/config.ts';
import { checkRelease, MigrationMismatch } from './check-release.ts';
import { readSchemaFiles } from './read-schema-files.ts';
import { release } from './release.ts';
import { readSchemaState } from './schema-state.ts';

const oldestVersion = 150_000;

/**
 * Throws when the database could lose acknowledged data, was not migrated, or was prepared by a release that is too new
 * for this one. `variable` is the environment variable of the database, for the sentence that the operator reads.
 * @throws ConfigError
 */
export async function checkDatabase(
  database: Database,
  options: { variable: string; sqlDirectory: string },
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
  const missing = await whatIsMissing(database, options.sqlDirectory).catch((error: unknown) => {
    if (!(error instanceof MigrationMismatch)) throw error;
    throw new ConfigError(`The database of ${options.variable} does not serve: ${error.message}.`, {
      cause: error,
    });
  });
  demand(missing === undefined, `${missing} has not been applied; npm run migrate does it.`);
}

/**
 * Returns what is missing, such as `migration 018-storage.sql` or `the function claim_generations`. Returns `undefined`
 * when nothing is missing or when a newer release prepared the database.
 */
async function whatIsMissing(database: Database, sqlDirectory: string): Promise<string | undefined> {
  const [state, files] = await Promise.all([readSchemaState(database), readSchemaFiles(sqlDirectory)]);
  checkRelease(state, files.migrations, release);
  const migration = files.migrations.find(({ name }) => !state.migrations.has(name));
  if (migration !== undefined) return `migration ${migration.name}`;
  if (state.release > release) return undefined;
  const changed = files.functions.find(({ name, sha256 }) => state.functions.get(name) !== sha256);
  return changed === undefined ? undefined : `the function ${changed.name}`;
}
