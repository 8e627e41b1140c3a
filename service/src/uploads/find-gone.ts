import type { Database } from '@renderkit/server-kit/db/database.ts';
import { readGone } from './deletion-store.ts';

/** Those of the ids that are no uploads of the account, or no longer: deleted meanwhile. */
export function findGone(database: Database, accountId: string, ids: readonly string[]): Promise<string[]> {
  return readGone(database, accountId, ids);
}
