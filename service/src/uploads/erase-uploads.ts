import type { Database } from '@renderkit/server-kit/database.ts';
import { deleteUploads } from './store.ts';

/** Erases what is kept of an account's uploads. Their files are the studio's, which erases its own account. */
export async function eraseUploads(database: Database, accountId: string): Promise<void> {
  while ((await deleteUploads(database, accountId)) > 0);
}
