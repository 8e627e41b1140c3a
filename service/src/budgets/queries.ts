import type { Database } from '@renderkit/server-kit/db/database.ts';

// A day is a UTC day by the database's clock, as in accept_generations.
const today = `(clock() at time zone 'UTC')::date`;

/** Returns what each key of an account has committed today, in 1/1000 credit, by the key's id. */
export async function readSpentToday(database: Database, accountId: string): Promise<Map<string, number>> {
  const rows = await database.rows<{ key_id: string; committed_millicredits: number }>(
    `select today.key_id, today.committed_millicredits
       from api_keys k join committed_today() today on today.key_id = k.id
      where k.account_id = $1`,
    [accountId],
  );
  return new Map(rows.map((row) => [row.key_id, row.committed_millicredits]));
}

type SpendRow = {
  key_id: string;
  name: string;
  console: boolean;
  /** `2026-11-21`. */
  day: string;
  committed_millicredits: number;
};

/**
 * Returns what each key of an account committed on each of the last UTC days, today included, in 1/1000 credit. Keys
 * are in the order of their creation.
 */
export function readSpend(database: Database, accountId: string, days: number): Promise<SpendRow[]> {
  return database.rows<SpendRow>(
    `select k.id as key_id, k.name, k.kind = 'console' as console, d.day, d.committed_millicredits
       from api_keys k join budget_days d on d.key_id = k.id and d.day > ${today} - $2::integer
      where k.account_id = $1 and d.committed_millicredits > 0
      order by k.created_at, k.id`,
    [accountId, days],
  );
}

/** Returns the database's present time, and the last UTC days up to today, oldest first. */
export async function readDays(database: Database, count: number): Promise<{ at: Date; days: string[] }> {
  const rows = await database.rows<{ at: Date; days: string[] }>(
    `select clock() as at,
            array(select (${today} - n)::text from generate_series($1::integer - 1, 0, -1) as n) as days`,
    [count],
  );
  return rows[0] as { at: Date; days: string[] };
}
