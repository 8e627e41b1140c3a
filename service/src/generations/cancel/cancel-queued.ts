import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Settlement } from '../settle/settlement.ts';
import { type Move, moveGenerations } from '../settle/transition-store.ts';
import { readUntouched } from './store.ts';

/** Cancels all that an account has waiting; what dispatch took meanwhile runs. How many were canceled. */
export async function cancelQueued(database: Database, accountId: string): Promise<number> {
  let canceled = 0;
  for (;;) {
    const ids = await readUntouched(database, { accountId });
    if (ids.length === 0) return canceled;
    const moved = await moveGenerations(
      database,
      ids.map((id) => cancelMove(id, accountId)),
    );
    if (moved.length === 0) return canceled;
    canceled += moved.length;
  }
}

/** Cancels what one key of an account has waiting, how many. What it throws leaves the rest to be asked for again. */
export type CancelQueuedOfKey = (key: { accountId: string; keyId: string }) => Promise<number>;

/** Makes the verb that cancels for a person: long polls wake, and each job is canceled as if by its own request. */
export function createCancelQueuedOfKey(options: {
  database: Database;
  settlement: Pick<Settlement, 'move'>;
}): CancelQueuedOfKey {
  return async (key) => {
    let canceled = 0;
    for (;;) {
      const ids = await readUntouched(options.database, key);
      const moves = ids.map((id) => options.settlement.move(cancelMove(id, key.accountId)));
      const moved = (await Promise.all(moves)).filter((one) => one !== undefined);
      // None: the queue is empty, or dispatch took all that was seen.
      if (moved.length === 0) return canceled;
      canceled += moved.length;
    }
  };
}

function cancelMove(id: string, accountId: string): Move {
  return { id, accountId, from: 'queued', to: 'canceled', untouched: true };
}
