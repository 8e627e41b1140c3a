import type { Database } from '@renderkit/server-kit/db/database.ts';

/**
 * Returns the ids of waiting generations of an account, or of one of its keys, that were never sent; at most 500. The
 * function move_generations checks the same conditions again for each of them (sql/functions).
 */
export async function readUntouched(
  database: Database,
  of: { accountId: string; keyId?: string | undefined },
): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    `select id from generations
      where account_id = $1 and status = 'queued' and not holds_slot and submit_sent_at is null
        ${of.keyId === undefined ? '' : 'and key_id = $2'} limit 500`,
    of.keyId === undefined ? [of.accountId] : [of.accountId, of.keyId],
  );
  return rows.map(({ id }) => id);
}

/** Returns how many generations wait for each key of an account. Keys with none are left out. */
export function countQueued(
  database: Database,
  accountId: string,
): Promise<{ key_id: string; queued: number }[]> {
  return database.rows(
    `select key_id, count(*)::integer as queued from generations
      where account_id = $1 and status = 'queued' group by key_id`,
    [accountId],
  );
}
