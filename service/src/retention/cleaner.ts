import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { runBatches, startBatchLoop } from '@renderkit/server-kit/work/batch-loop.ts';
import { fillPromptWords, removeOutdated, type RetainedTable } from './store.ts';

/**
 * How long the rows of each table are kept, as PostgreSQL intervals; for sessions, since their last use. Generations
 * stay. Deliveries are removed before their endpoints. `removals` in `store.ts` says from which time on. Other files
 * remove uploads (`service/src/uploads/expire-unused.ts`), texts of deleted accounts
 * (`service/src/operator/erase-accounts.ts`) and media (`studio/src/clean.ts`).
 */
export const keptFor = {
  rate_windows: '5 minutes',
  manual_sends: '5 minutes',
  // One day longer than clients can read them (`streamedFor` in `service/src/generations/events/store.ts`).
  account_events: '8 days',
  delivery_attempts: '30 days',
  // As `idle` in `service/src/identity/sessions/store.ts`, which refuses unused sessions.
  sessions: '7 days',
  deliveries: '90 days',
  events: '90 days',
  webhook_endpoints: '90 days',
  facade_calls: '1 day',
  unapplied_changes: '30 days',
} as const satisfies Record<RetainedTable, string>;

const everyMs = 60_000;
/** Rows of one statement, few enough that no other statement waits long. */
const batchSize = 1_000;

/** Removes rows whose time has passed, and fills in columns that rows of an earlier release lack. */
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
