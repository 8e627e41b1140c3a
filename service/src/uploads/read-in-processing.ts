import type { Database } from '@renderkit/server-kit/db/database.ts';
import { readProcessing } from './store.ts';

/** Ids of an account's uploads whose checks have not ended, as far as is known; 1,000 at most. */
export function readUploadsInProcessing(database: Database, accountId: string): Promise<string[]> {
  return readProcessing(database, accountId);
}
