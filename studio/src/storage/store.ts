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

/**
 * Like `insertOrphanFolder`, for a folder that may be announced already: then the later time applies. Returns `false`
 * when the folder is being removed.
 */
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

/** Marks a folder as being removed, as `takeOrphanFolders` does. Returns `false` when the folder is announced. */
export async function beginRemoval(database: Database, folder: string): Promise<boolean> {
  const rowCount = await database.execute(
    `insert into loose_folders (folder, remove_after, removing) values ($1, clock() + interval '10 minutes', true)
     on conflict (folder) do nothing`,
    [folder],
  );
  return rowCount === 1;
}

/** Returns whether a version of a model names the folder. Several versions may name the same folder. */
export async function isFolderOfModel(session: Queryable, folder: string): Promise<boolean> {
  const rows = await session.rows(
    `select from model_versions
      where thumbnail_key is not null and split_part(thumbnail_key, '/', 1) = $1 limit 1`,
    [folder],
  );
  return rows.length > 0;
}

/** Returns whether the folder is announced or being removed. */
export async function isLoose(transaction: Transaction, folder: string): Promise<boolean> {
  return (await transaction.rows('select from loose_folders where folder = $1', [folder])).length > 0;
}

/** Deletes the rows of folders that belong to the caller, announced or not. */
export async function deleteLooseFolders(database: Database, folders: string[]): Promise<void> {
  await database.rows('delete from loose_folders where folder = any($1)', [folders]);
}

/** Deletes the row of a removed folder; an announced folder keeps its row. */
export async function deleteRemovedFolder(session: Queryable, folder: string): Promise<void> {
  await session.rows('delete from loose_folders where folder = $1 and removing', [folder]);
}

/** Returns whether the folder is marked as being removed. */
export async function isBeingRemoved(session: Queryable, folder: string): Promise<boolean> {
  return (
    (await session.rows('select from loose_folders where folder = $1 and removing', [folder])).length > 0
  );
}

/** Returns folders that are due, and postpones their time a little so that no other process takes them too. */
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

/**
 * Reserves storage. Returns the bytes that are now reserved for the folder's files; `undefined` when there is no room
 * for `needed`.
 */
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

/** Returns whether the account may store so many more bytes. The caller must hold the account's lock. */
export async function hasSpace(transaction: Transaction, account: string, bytes: number): Promise<boolean> {
  const rows = await transaction.rows<{ fits: boolean }>(`select free_storage($1, '') >= $2 as fits`, [
    account,
    bytes,
  ]);
  return rows[0]?.fits === true;
}

/** The time recorded as the last reconciliation: `every` minus `held` seconds ago. */
const reconciledAt = `clock() - ($1::float8 - $2::float8) * interval '1 second'`;

/** `every`: seconds between two reconciliations. `held`: seconds from now during which nobody else may begin one. */
type ReconciliationTimes = { every: number; held: number };

/**
 * Returns `true` for one caller. Returns `false` when another process reconciled within `every` or holds the
 * reconciliation.
 */
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

/**
 * For the process that took the reconciliation: prolongs the hold, ends the reconciliation (`held` = `every`), or gives
 * it back (`held` = 0).
 */
export async function holdReconciliation(
  database: Database,
  { every, held }: ReconciliationTimes,
): Promise<void> {
  await database.execute(`update settings set changed_at = ${reconciledAt} where name = 'media_swept'`, [
    every,
    held,
  ]);
}
