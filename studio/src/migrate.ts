import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { migrate, type MigrationResult } from '@renderkit/server-kit/schema/migrate.ts';
import { ConfigError, databaseUrl } from './config.ts';
import { openJobQueues } from './jobs/job-queues.ts';
import { openRenderQueue } from './renders/queue.ts';
import { sqlDirectory } from './sql-directory.ts';
import { openUploadQueue } from './uploads/queue.ts';

/** Brings a studio's database up to date: our own tables, then the job queue's. Safe from any number of processes at once. */
export async function migrateStudio(url: string): Promise<MigrationResult> {
  const result = await migrate({ url, directory: sqlDirectory });
  await using queues = await openJobQueues({
    databaseUrl: url,
    log: createLogger({ part: 'migrate', level: 'warn' }),
    applicationName: 'migrate',
    poolSize: 2,
  });
  await openRenderQueue(queues);
  await openUploadQueue(queues);
  return result;
}

if (import.meta.main) {
  try {
    const { applied, already } = await migrateStudio(databaseUrl(process.env));
    process.stdout.write(`${applied.length} migrations applied, ${already} were there.\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    if (!(error instanceof ConfigError)) process.stderr.write(`${(error as Error).stack}\n`);
    process.exitCode = 1;
  }
}
