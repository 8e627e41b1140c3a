import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { migrate, type MigrationResult } from '@renderkit/server-kit/schema/migrate.ts';
import { applyBuiltIn } from './catalog/built-in.ts';
import { databaseUrl } from './config.ts';
import { openJobQueues } from './jobs/job-queues.ts';
import { sqlDirectory } from './sql-directory.ts';
import { openUploadQueue } from './uploads/queue.ts';

/** `kept`: models and lists of the product that were changed here, and so are not what this version brings. */
export type StudioMigration = MigrationResult & { kept: string[] };

/**
 * Brings a studio's database up to date: our own tables, the models and lists of the product, then the job queue's tables.
 * Safe from any number of processes at once. The signal ends the wait for another of them.
 */
export async function migrateStudio(url: string, signal?: AbortSignal): Promise<StudioMigration> {
  const result = await migrate({ url, directory: sqlDirectory, signal });
  await using database = openDatabase({
    url,
    applicationName: 'migrate',
    poolSize: 1,
    statementTimeoutMs: 0,
  });
  const kept = await applyBuiltIn(database);
  await using queues = await openJobQueues({
    databaseUrl: url,
    log: createLogger({ part: 'migrate', level: 'warn' }),
    applicationName: 'migrate',
    poolSize: 2,
  });
  await openUploadQueue(queues);
  return { ...result, kept };
}

if (import.meta.main) void runProgram();

/** No wait at the top level, or nothing that imports this could be loaded at once, as several files of tests are. */
async function runProgram(): Promise<void> {
  try {
    const { applied, already, kept } = await migrateStudio(databaseUrl(process.env));
    process.stdout.write(`${applied.length} migrations applied, ${already} were there.\n`);
    if (kept.length > 0) process.stdout.write(`Changed here, and so left as they are: ${kept.join(', ')}.\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    if (!(error instanceof ConfigError)) process.stderr.write(`${(error as Error).stack}\n`);
    process.exitCode = 1;
  }
}
