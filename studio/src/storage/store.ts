import type { Database, Transaction } from '@renderkit/server-kit/database.ts';

export async function insertLooseFolder(
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
export async function deleteLooseFolder(transaction: Transaction, folder: string): Promise<boolean> {
  const { rowCount } = await transaction.query(
    'delete from loose_folders where folder = $1 and not removing',
    [folder],
  );
  return rowCount === 1;
}

export async function deleteRemovedFolders(database: Database, folders: string[]): Promise<void> {
  await database.rows('delete from loose_folders where folder = any($1)', [folders]);
}

/** Folders whose time has come, put off a little so that no other process takes them too. */
export async function takeLooseFolders(database: Database, atMost: number): Promise<string[]> {
  const rows = await database.rows<{ folder: string }>(
    `update loose_folders set removing = true, remove_after = clock() + interval '10 minutes' where folder in (
       select folder from loose_folders where remove_after <= clock()
       order by remove_after limit $1 for update skip locked)
     returning folder`,
    [atMost],
  );
  return rows.map(({ folder }) => folder);
}
