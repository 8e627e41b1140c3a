import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { finishWithMade } from './end-submission.ts';
import { renderError } from './submission-failure.ts';
import { findStranded, lockAccount } from './submission-store.ts';

/** Seconds that a render may wait while no backend could make it. */
const maxWaitSeconds = { image: 60 * 60, video: 6 * 60 * 60 };
export const strandedPerRound = 100;

/**
 * Ends renders that waited too long for a backend that could make them. A render keeps what was already made; without
 * any output it fails and is refunded. Returns how many were found. A render that is claimed at this moment goes on.
 * `studio/sql/functions/stranded_renders.sql` decides which renders waited too long.
 */
export async function endStranded({
  database,
  announce,
  log,
}: {
  database: Database;
  announce: (account: string) => void;
  log: Logger;
}): Promise<number> {
  const stranded = await findStranded(database, maxWaitSeconds, strandedPerRound);
  for (const found of stranded) {
    const ended = await database.transaction(async (transaction) => {
      await lockAccount(transaction, found.account_id);
      return finishWithMade(transaction, found, renderError('engine_unavailable'));
    });
    if (ended === undefined) continue;
    log.warn({ render: found.id }, 'a render waited too long for a backend that could make it');
    announce(found.account_id);
  }
  return stranded.length;
}
