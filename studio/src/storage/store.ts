import type { StudioStorage } from '@renderkit/contract/studio/storage.ts';
import type { Database, Queryable, Transaction } from '@renderkit/server-kit/db/database.ts';

export async function insertOrphanFolder(
  database: Database,
  folder: string,
  removeAfterMinutes: number,
): Promise<void> {
  await database.rows(
    `insert into loose_folders (folder, remove_after) values ($1, clock() + $2 * interval '1 minute')`,
    [folder, removeAfterMinutes],
  );
}

/** False where the folder is being removed. */
export async function deleteOrphanFolder(transaction: Transaction, folder: string): Promise<boolean> {
  const rowCount = await transaction.execute('delete from loose_folders where folder = $1 and not removing', [
    folder,
  ]);
  return rowCount === 1;
}

export async function deleteRemovedFolders(database: Database, folders: string[]): Promise<void> {
  await database.rows('delete from loose_folders where folder = any($1)', [folders]);
}

/** Folders whose time has come, put off a little so that no other process takes them too. */
export async function takeOrphanFolders(database: Database, atMost: number): Promise<string[]> {
  const rows = await database.rows<{ folder: string }>(
    `update loose_folders set removing = true, remove_after = clock() + interval '10 minutes' where folder in (
       select folder from loose_folders where remove_after <= clock()
       order by remove_after limit $1 for update skip locked)
     returning folder`,
    [atMost],
  );
  return rows.map(({ folder }) => folder);
}

/** Bytes that are now reserved for the folder's files; undefined where there is no space for `needed`. */
export async function reserveStorage(
  database: Database,
  asked: { account: string; folder: string; needed: number; wanted: number },
): Promise<number | undefined> {
  const [row] = await database.rows<{ granted: number | null }>(
    'select reserve_storage($1, $2, $3, $4) as granted',
    [asked.account, asked.folder, asked.needed, asked.wanted],
    'reserve_storage',
  );
  return row?.granted ?? undefined;
}

export async function readStorage(database: Queryable, account: string): Promise<StudioStorage> {
  const rows = await database.rows<{ storage: StudioStorage }>(
    'select storage_json(a) as storage from accounts a where id = $1',
    [account],
  );
  return rows[0]?.storage ?? { used_bytes: 0, limit_bytes: 0, uploads_bytes: 0, outputs_bytes: 0 };
}

/** Whether the account, whose lock the caller holds, may store so many bytes more. */
export async function hasSpace(transaction: Transaction, account: string, bytes: number): Promise<boolean> {
  const rows = await transaction.rows<{ fits: boolean }>(`select free_storage($1, '') >= $2 as fits`, [
    account,
    bytes,
  ]);
  return rows[0]?.fits === true;
}
