import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Settlement } from '../settle/settlement.ts';
import { type Transition, transitionGenerations } from '../settle/transition-store.ts';
import { countQueued, readUntouched } from './store.ts';

/** Cancels all that an account has waiting; what dispatch took meanwhile runs. How many were canceled. */
export async function cancelQueued(database: Database, accountId: string): Promise<number> {
  let canceled = 0;
  for (;;) {
    const ids = await readUntouched(database, { accountId });
    if (ids.length === 0) return canceled;
    const made = await transitionGenerations(
      database,
      ids.map((id) => toCanceled(id, accountId)),
    );
    if (made.length === 0) return canceled;
    canceled += made.length;
  }
}

/**
 * Cancels what one key of an account has waiting and returns how many. What it throws leaves the rest to be asked for
 * again. Long polls wake, and each job is canceled as if by its own request.
 */
export async function cancelQueuedOfKey(
  { database, settlement }: { database: Database; settlement: Settlement },
  key: { accountId: string; keyId: string },
): Promise<number> {
  let canceled = 0;
  for (;;) {
    const ids = await readUntouched(database, key);
    const outcomes = await Promise.allSettled(
      ids.map((id) => settlement.transition(toCanceled(id, key.accountId))),
    );
    // All are waited for first: nothing of a call that failed may still be canceled after its answer.
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    const made = outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value !== undefined);
    // None: the queue is empty, or dispatch took all that was seen.
    if (made.length === 0) return canceled;
    canceled += made.length;
  }
}

function toCanceled(id: string, accountId: string): Transition {
  return { id, accountId, from: 'queued', to: 'canceled', untouched: true };
}

/** How many generations wait in the queue of each of an account's keys, by the key's id. */
export async function readQueuedOfKeys(database: Database, accountId: string): Promise<Map<string, number>> {
  return new Map((await countQueued(database, accountId)).map((row) => [row.key_id, row.queued]));
}
