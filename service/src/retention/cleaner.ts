import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { runBatches, startBatchLoop } from '@renderkit/server-kit/work/batch-loop.ts';
import { fillPromptWords, removeOutdated, type RetainedTable } from './store.ts';

/**
 * How long the rows of a table are kept, as intervals of PostgreSQL; of sessions, since they were last used. Generations
 * stay. Deliveries go before the endpoints that they went to.
 */
export const keptFor = {
  rate_windows: '5 minutes',
  manual_sends: '5 minutes',
  // A day more than they can be read for.
  account_events: '8 days',
  delivery_attempts: '30 days',
  sessions: '7 days',
  deliveries: '90 days',
  events: '90 days',
  webhook_endpoints: '90 days',
  facade_calls: '1 day',
  unapplied_changes: '30 days',
} as const satisfies Record<RetainedTable, string>;

const everyMs = 60_000;
/** Rows of one statement, small enough that nobody waits for it. */
const batchSize = 1_000;

/** Removes what is kept for a time only, and fills in what rows of an earlier release lack. */
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
        [
          ...(Object.keys(keptFor) as RetainedTable[]).map(
            (table) => async () =>
              (await removeOutdated(options.database, table, { age: keptFor[table], atMost: batchSize })) ===
              batchSize,
          ),
          async () => (await fillPromptWords(options.database, batchSize)) === batchSize,
        ],
        { stopping },
      ),
  });
}
