import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { migrate, type MigrationResult } from '@renderkit/server-kit/schema/migrate.ts';
import { readDatabaseUrl } from './config.ts';
import { sqlDirectory } from './preflight/check-database.ts';

/** Brings a service's database up to date. Safe from any number of processes at once. The signal ends the wait for another of them. */
export function migrateService(url: string, signal?: AbortSignal): Promise<MigrationResult> {
  return migrate({ url, directory: sqlDirectory, signal });
}

if (import.meta.main) void runProgram();

/** No wait at the top level, or nothing that imports this could be loaded at once, as several files of tests are. */
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
