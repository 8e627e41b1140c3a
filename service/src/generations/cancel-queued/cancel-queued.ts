import type { Database } from '@renderkit/server-kit/database.ts';
import { moveGenerations } from '../store.ts';
import { readUntouched } from './store.ts';

/** Cancels all that an account has waiting; what dispatch took meanwhile runs. How many were canceled. */
export async function cancelQueued(database: Database, accountId: string): Promise<number> {
  let canceled = 0;
  for (;;) {
    const ids = await readUntouched(database, accountId);
    if (ids.length === 0) return canceled;
    const moves = ids.map(
      (id) => ({ id, accountId, from: 'queued', to: 'canceled', untouched: true }) as const,
    );
    const moved = await moveGenerations(database, moves);
    if (moved.length === 0) return canceled;
    canceled += moved.length;
  }
}
