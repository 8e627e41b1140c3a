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

/** False where the folder is being removed. */
export async function deleteOrphanFolder(transaction: Transaction, folder: string): Promise<boolean> {
  const rowCount = await transaction.execute('delete from loose_folders where folder = $1 and not removing', [
    folder,
  ]);
  return rowCount === 1;
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

/** Every key that a row names, as one relation; what was rejected is named and gone. */
const namedKeys = `(
  select storage_key as key from assets
  union all select thumb_key from assets where thumb_key is not null
  union all select storage_key from frames
  union all select storage_key from uploads where status <> 'rejected'
  union all select thumbnail_key from model_versions where thumbnail_key is not null)`;

/** Pages of keys that rows name, by the rows' own ids, so that each page is a scan of an index. */
const pagesOfKeys = {
  assets: `select id as last, array_remove(array[storage_key, thumb_key], null) as keys
    from assets where id > $1 order by id limit $2`,
  uploads: `select id as last, array[storage_key] as keys
    from uploads where id > $1 and status <> 'rejected' order by id limit $2`,
  frames: `select video_id as last, array_agg(storage_key) as keys
    from frames where video_id > $1 group by video_id order by video_id limit $2`,
  model_versions: `select model_id as last, array_agg(thumbnail_key) as keys from model_versions
    where model_id > $1 and thumbnail_key is not null group by model_id order by model_id limit $2`,
} as const;

export type NamingTable = keyof typeof pagesOfKeys;
export const namingTables = Object.keys(pagesOfKeys) as NamingTable[];

/** Rows after the one of this id; none is the end. */
export async function pageOfKeys(
  database: Database,
  table: NamingTable,
  { after, rows }: { after: string; rows: number },
): Promise<{ last: string; keys: string[] }[]> {
  return database.rows(pagesOfKeys[table], [after, rows]);
}

/** Those of the keys that a row names now. */
export async function findNamedKeys(database: Database, keys: string[]): Promise<Set<string>> {
  const rows = await database.rows<{ key: string }>(
    `select distinct key from ${namedKeys} as named where key = any($1)`,
    [keys],
  );
  return new Set(rows.map(({ key }) => key));
}

/**
 * Those of the folders that a row names, that are announced, or that a render fills whose other jobs go on. It reads every row that names a key, once for all folders:
 * an index by folder would cost each render, for a look now and then.
 */
export async function findNamedFolders(database: Database, folders: string[]): Promise<Set<string>> {
  const rows = await database.rows<{ folder: string }>(
    `select folder from loose_folders where folder = any($1)
     union select split_part(file ->> 'storage_key', '/', 1)
       from renders r join submissions s on s.render_id = r.id, jsonb_array_elements(s.made) as file
       where r.status in ('queued', 'running') and s.made is not null
     union select split_part(key, '/', 1) from ${namedKeys} as named where split_part(key, '/', 1) = any($1)`,
    [folders],
  );
  return new Set(rows.map(({ folder }) => folder));
}

/** True for one caller, unless another had it within so many seconds. */
export async function takeSweep(database: Database, everySeconds: number): Promise<boolean> {
  const rows = await database.rows(
    `insert into settings (name, value, changed_at) values ('media_swept', 'true', clock())
     on conflict (name) do update set changed_at = clock()
       where settings.changed_at <= clock() - $1 * interval '1 second'
     returning name`,
    [everySeconds],
  );
  return rows.length === 1;
}
