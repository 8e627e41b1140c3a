import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { migrate, type MigrationResult } from '@renderkit/server-kit/schema/migrate.ts';
import { applyBuiltIn } from './catalog/built-in.ts';
import { databaseUrl } from './config.ts';
import { openJobQueues } from './jobs/job-queues.ts';
import { sqlDirectory } from './sql-directory.ts';
import { openUploadQueue } from './uploads/queue.ts';

/**
 * `kept`: models and lists of the product that were changed in this studio, so this version does not replace them
 * (`studio/src/catalog/built-in.ts` decides).
 */
export type StudioMigration = MigrationResult & { kept: string[] };

/**
 * Updates a studio's database: the studio's tables, then the product's models and lists, then the job queue's tables.
 * Any number of processes may run this at once. The signal ends the wait for another process.
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

/**
 * A function instead of a wait at the top level: modules that import this one, such as test files, could not load at
 * once otherwise.
 */
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
