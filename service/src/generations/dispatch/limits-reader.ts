import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { StudioClient } from '../../studio-client/studio-client.ts';
import { saveLimits } from './store.ts';
import type { WokenAccounts } from './woken-accounts.ts';

export type LimitsReader = {
  /** Reads an account's limits from the studio in the background, unless a read is in progress or failed just now. */
  refresh: (accountId: string) => void;
};

const readsAtOnce = 8;
const initialPauseMs = 1_000;
const maxPauseMs = 30_000;

/**
 * Stores the limits that the studio reports for accounts, and wakes an account once they are stored. The function
 * claim_generations_up_to applies them (sql/functions). The studio counts in `studio/sql/functions/limits_json.sql`.
 */
export function createLimitsReader(options: {
  database: Database;
  studioClient: Pick<StudioClient, 'call'>;
  log: Logger;
  wokenAccounts: Pick<WokenAccounts, 'wake'>;
}): LimitsReader {
  const asked = new Set<string>();
  const waiting: string[] = [];
  const pauses = new Map<string, { failures: number; until: number }>();
  let reading = 0;

  const read = async (accountId: string) => {
    try {
      const limits = await options.studioClient.call('getLimits', { accountId });
      await saveLimits(options.database, accountId, limits);
      pauses.delete(accountId);
      options.wokenAccounts.wake(accountId);
    } catch (error) {
      const failures = (pauses.get(accountId)?.failures ?? 0) + 1;
      const pauseMs = Math.min(maxPauseMs, initialPauseMs * 2 ** Math.min(failures - 1, 10));
      pauses.set(accountId, { failures, until: performance.now() + pauseMs });
      options.log.debug({ accountId, err: error }, 'the limits of an account could not be read');
    } finally {
      asked.delete(accountId);
    }
  };
  const readNext = () => {
    while (reading < readsAtOnce) {
      const accountId = waiting.shift();
      if (accountId === undefined) return;
      reading++;
      void read(accountId).finally(() => {
        reading--;
        readNext();
      });
    }
  };

  return {
    refresh: (accountId) => {
      if (asked.has(accountId) || (pauses.get(accountId)?.until ?? 0) > performance.now()) return;
      asked.add(accountId);
      waiting.push(accountId);
      readNext();
    },
  };
}
