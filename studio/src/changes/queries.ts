import type { Database } from '@renderkit/server-kit/db/database.ts';

/**
 * Deletes changes older than `days`, oldest first, and raises the accounts' floors above them. Returns how many.
 * `studio/src/clean.ts` has the number of days.
 */
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
