import type { Change } from '@renderkit/contract/studio/changes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Static } from 'typebox';

export type Watched = { account: string; cursor: number };

export type MovedRow = {
  account: string;
  status: 'changes' | 'reset' | 'ended';
  cursor: number | null;
  changes: Static<typeof Change>[] | null;
};

export const changesPerAccount = 200;

/**
 * The accounts that moved past their cursor, in one statement, a primary-key look-up and a grant's look-up each.
 * A cursor below what has been cleaned away, or beyond what was ever counted, is `reset`.
 */
export async function readMoved(database: Database, client: string, watched: Watched[]): Promise<MovedRow[]> {
  return database.rows<MovedRow>(
    `select w.account,
       case when g.id is null then 'ended' when w.cursor < a.change_floor or w.cursor > a.change_seq then 'reset'
         else 'changes' end as status,
       case when g.id is null then null when w.cursor < a.change_floor or w.cursor > a.change_seq then a.change_seq
         else least(a.change_seq, w.cursor + ${changesPerAccount}) end as cursor,
       case when g.id is not null and w.cursor >= a.change_floor and w.cursor < a.change_seq then (
         select coalesce(json_agg(c.change order by c.seq), '[]'::json) from (
           select seq, json_build_object('seq', seq, 'type', type, 'token', token, 'render', render, 'upload', upload) as change
           from changes where account_id = w.account and seq > w.cursor
             and seq <= w.cursor + ${changesPerAccount}) as c) end as changes
     from unnest($2::text[], $3::bigint[]) as w (account, cursor)
     left join accounts a on a.id = w.account and a.deleted_at is null
     left join lateral (
       select id from oidc_payloads where model = 'Grant' and account_id = w.account and client_id = $1
         and expires_at > clock() and a.id is not null limit 1) as g on true
     where g.id is null or a.change_seq <> w.cursor`,
    [client, watched.map(({ account }) => account), watched.map(({ cursor }) => cursor)],
    'read_moved',
  );
}

/** Deletes changes older than this, oldest first, and raises the accounts' floors above them. Returns how many. */
export async function deleteOldChanges(database: Database, days: number, atMost: number): Promise<number> {
  return database.transaction(async (transaction) => {
    const rows = await transaction.rows<{ account_id: string; seq: number }>(
      `select account_id, seq from changes where created_at < clock() - $1 * interval '1 day'
       order by created_at limit $2`,
      [days, atMost],
    );
    const floors = new Map<string, number>();
    for (const { account_id, seq } of rows)
      floors.set(account_id, Math.max(seq, floors.get(account_id) ?? 0));
    const accounts = [...floors.keys()].sort();
    await transaction.execute('select from accounts where id = any($1) order by id for update', [accounts]);
    await transaction.execute(
      `update accounts a set change_floor = greatest(a.change_floor, f.floor)
       from unnest($1::text[], $2::bigint[]) as f (id, floor) where a.id = f.id`,
      [accounts, accounts.map((account) => floors.get(account) ?? 0)],
    );
    const rowCount = await transaction.execute(
      `delete from changes c using unnest($1::text[], $2::bigint[]) as f (id, floor)
       where c.account_id = f.id and c.seq <= f.floor`,
      [accounts, accounts.map((account) => floors.get(account) ?? 0)],
    );
    return rowCount;
  });
}
