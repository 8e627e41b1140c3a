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

/** The same for a folder that may have been announced before: then the later time counts. False where it is being removed. */
export async function insertOrHoldFolder(
  database: Database,
  folder: string,
  removeAfterMinutes: number,
): Promise<boolean> {
  const rowCount = await database.execute(
    `insert into loose_folders (folder, remove_after) values ($1, clock() + $2 * interval '1 minute')
     on conflict (folder) do update set remove_after = greatest(loose_folders.remove_after, excluded.remove_after)
       where not loose_folders.removing`,
    [folder, removeAfterMinutes],
  );
  return rowCount === 1;
}

/** Marks a folder as being removed, as `takeOrphanFolders` does. False where somebody announced it. */
export async function beginRemoval(database: Database, folder: string): Promise<boolean> {
  const rowCount = await database.execute(
    `insert into loose_folders (folder, remove_after, removing) values ($1, clock() + interval '10 minutes', true)
     on conflict (folder) do nothing`,
    [folder],
  );
  return rowCount === 1;
}

/** Whether a version of a model names the folder: one of those that several may come to name. */
export async function isFolderOfModel(session: Queryable, folder: string): Promise<boolean> {
  const rows = await session.rows(
    `select from model_versions
      where thumbnail_key is not null and split_part(thumbnail_key, '/', 1) = $1 limit 1`,
    [folder],
  );
  return rows.length > 0;
}

/** Whether the folder is announced or being removed. */
export async function isLoose(transaction: Transaction, folder: string): Promise<boolean> {
  return (await transaction.rows('select from loose_folders where folder = $1', [folder])).length > 0;
}

/** Forgets folders that are the caller's own, announced or not. */
export async function deleteLooseFolders(database: Database, folders: string[]): Promise<void> {
  await database.rows('delete from loose_folders where folder = any($1)', [folders]);
}

/** Forgets a folder that was being removed; one that is announced stays. */
export async function deleteRemovedFolder(session: Queryable, folder: string): Promise<void> {
  await session.rows('delete from loose_folders where folder = $1 and removing', [folder]);
}

/** Whether the folder is marked as being removed. */
export async function isBeingRemoved(session: Queryable, folder: string): Promise<boolean> {
  return (
    (await session.rows('select from loose_folders where folder = $1 and removing', [folder])).length > 0
  );
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

/** When the storage was reconciled last, or is taken to have been: `every` less `held` seconds ago. */
const reconciledAt = `clock() - ($1::float8 - $2::float8) * interval '1 second'`;

/** The seconds between two reconciliations, and those for which nobody else is to begin one from now on. */
type ReconciliationTimes = { every: number; held: number };

/** True for one caller, unless another reconciled within `every` or holds the reconciliation. */
export async function takeReconciliation(
  database: Database,
  { every, held }: ReconciliationTimes,
): Promise<boolean> {
  const rows = await database.rows(
    `insert into settings (name, value, changed_at) values ('media_swept', 'true', ${reconciledAt})
     on conflict (name) do update set changed_at = excluded.changed_at
       where settings.changed_at <= clock() - $1::float8 * interval '1 second'
     returning name`,
    [every, held],
  );
  return rows.length === 1;
}

/** For whoever has taken the reconciliation: holds it on, has ended it (held for all of `every`), or gives it back (for 0). */
export async function holdReconciliation(
  database: Database,
  { every, held }: ReconciliationTimes,
): Promise<void> {
  await database.execute(`update settings set changed_at = ${reconciledAt} where name = 'media_swept'`, [
    every,
    held,
  ]);
}
