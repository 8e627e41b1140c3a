import type { Database } from '@renderkit/server-kit/db/database.ts';
import { countQueued } from './store.ts';

/** How many generations wait in the queue of each of an account's keys, by the key's id. */
export async function readQueuedOfKeys(database: Database, accountId: string): Promise<Map<string, number>> {
  return new Map((await countQueued(database, accountId)).map((row) => [row.key_id, row.queued]));
}
