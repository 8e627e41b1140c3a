import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Settlement } from '../settle/settlement.ts';
import { type Transition, transitionGenerations } from '../settle/transition-store.ts';
import { countQueued, readUntouched } from './store.ts';

/**
 * Cancels all waiting generations of an account and returns how many. Generations that dispatch takes meanwhile run.
 */
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
 * Cancels the waiting generations of one key of an account and returns how many. If this throws, some may still wait,
 * and the caller must call again. Long polls wake, and each job is canceled as if by a separate request. `revokeKey` in
 * `service/src/console-api/keys.ts` calls this.
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
    // Waits for all calls before it throws: no call may still cancel a job after the answer was sent.
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    const made = outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value !== undefined);
    // None was canceled: the queue is empty, or dispatch took all that were read.
    if (made.length === 0) return canceled;
    canceled += made.length;
  }
}

function toCanceled(id: string, accountId: string): Transition {
  return { id, accountId, from: 'queued', to: 'canceled', untouched: true };
}

/** Returns how many generations wait in the queue for each key of an account, by the key's id. */
export async function readQueuedOfKeys(database: Database, accountId: string): Promise<Map<string, number>> {
  return new Map((await countQueued(database, accountId)).map((row) => [row.key_id, row.queued]));
}
