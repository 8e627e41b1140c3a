import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';

/** Returns deleted accounts without an unfinished render, those deleted first at the front. */
export async function accountsToErase(database: Database, atMost: number): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    `select id from accounts a where deleted_at is not null and erased_at is null
       and not exists (select from renders r where r.account_id = a.id and r.status in ('queued', 'running') and r.completed_at is null)
     order by deleted_at limit $1`,
    [atMost],
  );
  return rows.map(({ id }) => id);
}

/**
 * Locks the account; everything that adds rows to an account takes this lock. Returns `false` when the account is
 * erased already.
 */
export async function lockDoomed(transaction: Transaction, account: string): Promise<boolean> {
  const rowCount = await transaction.execute(
    'select from accounts where id = $1 and deleted_at is not null and erased_at is null for update',
    [account],
  );
  return rowCount === 1;
}

/**
 * Announces the folders of the rows just deleted (`gone`) as orphans. `studio/src/storage/orphan-folders.ts` removes
 * them.
 */
const announce = `insert into loose_folders (folder, remove_after)
  select distinct split_part(storage_key, '/', 1), clock() from gone
  on conflict (folder) do update set remove_after = clock()`;

/**
 * Deletes at most `atMost` items of the library, newest first, each after the frames taken from it. Announces their
 * folders as orphans. Returns whether there may be more.
 */
export async function deleteAssets(
  transaction: Transaction,
  account: string,
  atMost: number,
): Promise<boolean> {
  const rows = await transaction.rows<{ id: string }>(
    'select id from assets where account_id = $1 order by created_at desc, id desc limit $2',
    [account, atMost],
  );
  const ids = rows.map(({ id }) => id);
  const [frames] = await transaction.rows<{ deleted: number }>(
    `with doomed as (
       select video_id, time_ms from frames where video_id = any($1) order by video_id, time_ms limit $2
     ), gone as (
       delete from frames f using doomed d where f.video_id = d.video_id and f.time_ms = d.time_ms
       returning f.storage_key
     ), announced as (${announce})
     select count(*)::int as deleted from gone`,
    [ids, atMost],
  );
  if (frames?.deleted === atMost) return true;
  await transaction.execute(
    `with gone as (delete from assets where id = any($1) returning storage_key) ${announce}`,
    [ids],
  );
  return ids.length === atMost;
}

/** Like `deleteAssets`, for uploads. */
export async function deleteUploads(
  transaction: Transaction,
  account: string,
  atMost: number,
): Promise<boolean> {
  const [uploads] = await transaction.rows<{ deleted: number }>(
    `with gone as (
       delete from uploads where account_id = $1
         and token = any(array(select token from uploads where account_id = $1 order by token limit $2))
       returning storage_key
     ), announced as (${announce})
     select count(*)::int as deleted from gone`,
    [account, atMost],
  );
  return uploads?.deleted === atMost;
}

/**
 * Tables whose rows name no file. `key` identifies a row within an account; `order` is the order of the index that
 * finds the rows.
 */
const rowsWithoutFile = [
  { table: 'deleted_uploads', key: 'token', order: 'token' },
  { table: 'styles', key: 'id', order: 'created_at' },
  { table: 'projects', key: 'id', order: 'created_at desc, id desc' },
  { table: 'changes', key: 'seq', order: 'seq' },
  { table: 'audit_entries', key: 'id', order: 'at desc, id desc' },
] as const;

/** Deletes at most `atMost` rows of each kind. Returns whether there may be more. */
export async function deleteRowsWithoutFile(
  transaction: Transaction,
  account: string,
  atMost: number,
): Promise<boolean> {
  let more = false;
  for (const { table, key, order } of rowsWithoutFile) {
    const deleted = await transaction.execute(
      `delete from ${table} where account_id = $1
         and ${key} = any(array(select ${key} from ${table} where account_id = $1 order by ${order} limit $2))`,
      [account, atMost],
    );
    more ||= deleted === atMost;
  }
  return more;
}

/**
 * Empties at most `atMost` renders after the token `after`. Returns the token of the last one and whether there may be
 * more.
 */
export async function emptyRenders(
  transaction: Transaction,
  account: string,
  { after, atMost }: { after: string; atMost: number },
): Promise<{ last: string; more: boolean }> {
  const rows = await transaction.rows<{ token: string }>(
    `with page as materialized (
       select id, token from renders where account_id = $1 and token > $2 order by token limit $3
     ), emptied as (
       update renders set request = null, refusal = null
        where id = any(array(select id from page)) and (request is not null or refusal is not null)
     )
     select token from page order by token`,
    [account, after, atMost],
  );
  return { last: rows.at(-1)?.token ?? after, more: rows.length === atMost };
}

/** The last step of an erasure. */
export async function markErased(transaction: Transaction, account: string): Promise<void> {
  await transaction.execute(
    'update accounts set change_floor = change_seq, erased_at = clock() where id = $1',
    [account],
  );
}
