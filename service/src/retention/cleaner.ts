import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { runBatches, startBatchLoop } from '@renderkit/server-kit/work/batch-loop.ts';
import { removeOutdated, retainedTables } from './store.ts';

const everyMs = 60_000;
/** Rows of one statement, small enough that nobody waits for it. */
const batchSize = 1_000;

/** Removes what is kept for a time only. Generations stay. */
export function startCleaner(options: {
  database: Database;
  log: Logger;
  onStuck?: ((name: string) => void) | undefined;
}): AsyncDisposable {
  return startBatchLoop({
    ...options,
    name: 'cleaner',
    everyMs,
    round: (stopping) =>
      runBatches(
        retainedTables.map(
          (table) => async () => (await removeOutdated(options.database, table, batchSize)) === batchSize,
        ),
        { stopping },
      ),
  });
}
