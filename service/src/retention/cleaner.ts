import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import { removeOutdated, retainedTables } from './store.ts';

const everyMs = 60_000;
/** Rows of one statement, small enough that nobody waits for it. */
const batchSize = 1_000;
/** Batches of one table in one round. */
const batchesPerRound = 50;

/** Removes what is kept for a time only. Generations stay. */
export function startCleaner(options: {
  database: Database;
  log: Logger;
  onStuck?: ((name: string) => void) | undefined;
}): AsyncDisposable {
  return startLoop({
    ...options,
    name: 'cleaner',
    everyMs,
    run: async (stopping) => {
      for (const table of retainedTables)
        for (let i = 0; i < batchesPerRound && !stopping.aborted; i++)
          if ((await removeOutdated(options.database, table, batchSize)) < batchSize) break;
    },
  });
}
