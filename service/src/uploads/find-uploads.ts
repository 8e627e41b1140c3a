import type { UploadStatus } from '@renderkit/contract/v1/schemas/upload.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { readNamed } from './store.ts';

/** How those of the ids stand that are uploads which the account may name: its own that are there. */
export async function findUploads(
  database: Database,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, UploadStatus>> {
  if (ids.length === 0) return new Map();
  const rows = await readNamed(database, accountId, ids);
  return new Map(rows.map(({ id, status }) => [id, status]));
}
