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
 * Returns the accounts that have changes after their cursor, in one statement with two look-ups for each account: by
 * primary key and by grant. An account is `reset` when the cursor is below the deleted changes or above the last
 * change. `studio/sql/functions/record_change.sql` writes the changes.
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
