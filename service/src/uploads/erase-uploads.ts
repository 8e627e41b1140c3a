import type { Database } from '@renderkit/server-kit/db/database.ts';
import { deleteUploads } from './store.ts';

/**
 * Erases what is kept of an account's next 1,000 uploads; how many there were. Their files are the studio's, which
 * erases its own account.
 */
export function eraseUploads(database: Database, accountId: string): Promise<number> {
  return deleteUploads(database, accountId);
}
