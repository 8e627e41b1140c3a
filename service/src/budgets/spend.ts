import type { Database } from '@renderkit/server-kit/db/database.ts';
import { selectDays, selectSpend, selectSpentToday, type SpendRow } from './store.ts';

/** What each of an account's keys has committed on this UTC day, by the key's id, in 1/1000 credit. */
export async function readSpentToday(database: Database, accountId: string): Promise<Map<string, number>> {
  const rows = await selectSpentToday(database, accountId);
  return new Map(rows.map((row) => [row.key_id, row.committed_millicredits]));
}

/** What each of an account's keys committed on each of the last UTC days, today included; keys in their order. */
export function readSpend(database: Database, accountId: string, days: number): Promise<SpendRow[]> {
  return selectSpend(database, accountId, days);
}

/** The last UTC days, today included, oldest first, and the moment by the database's clock. */
export function readDays(database: Database, count: number): Promise<{ at: Date; days: string[] }> {
  return selectDays(database, count);
}
