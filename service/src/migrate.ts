import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { migrate, type MigrationResult } from '@renderkit/server-kit/schema/migrate.ts';
import { readDatabaseUrl } from './config.ts';
import { sqlDirectory } from './preflight/check-database.ts';

/**
 * Migrates a service's database to the current version. Any number of processes may do this at once. The signal ends
 * the wait for another process. `server-kit/src/schema/migrate.ts` applies the files of service/sql.
 */
export function migrateService(url: string, signal?: AbortSignal): Promise<MigrationResult> {
  return migrate({ url, directory: sqlDirectory, signal });
}

if (import.meta.main) void runProgram();

/**
 * No await at the top level: otherwise modules that import this, such as several test files, could not be loaded at
 * once.
 */
async function runProgram(): Promise<void> {
  try {
    const { applied, already } = await migrateService(readDatabaseUrl(process.env));
    process.stdout.write(`${applied.length} migrations applied, ${already} were there.\n`);
  } catch (error) {
    const known = error instanceof ConfigError;
    process.stderr.write(`${known ? error.message : (error as Error).stack}\n`);
    process.exitCode = 1;
  }
}
