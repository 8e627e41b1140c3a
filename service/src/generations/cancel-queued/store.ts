import type { Database } from '@renderkit/server-kit/database.ts';

/** Generations of an account that wait and of which nothing was sent; at most 500. */
export async function readUntouched(database: Database, accountId: string): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    `select id from generations
      where account_id = $1 and status = 'queued' and not holds_slot and submit_sent_at is null limit 500`,
    [accountId],
  );
  return rows.map(({ id }) => id);
}
