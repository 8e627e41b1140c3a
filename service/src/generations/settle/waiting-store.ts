import type { Queryable } from '@renderkit/server-kit/db/database.ts';

/** Locks accounts. Code that changes the state of their generations or uploads does this first. */
export async function lockAccounts(transaction: Queryable, accountIds: readonly string[]): Promise<void> {
  await transaction.execute(
    'select 1 from accounts where id = any ($1) order by id for no key update',
    [accountIds],
    'waiting_lock_accounts',
  );
}

/**
 * Unblocks generations that waited only for these uploads. Returns the ids of their accounts. The function name_uploads
 * blocks generations (sql/functions).
 */
export async function unblock(transaction: Queryable, uploadIds: readonly string[]): Promise<string[]> {
  const rows = await transaction.rows<{ account_id: string }>(
    `update generations g set blocked = false
            where g.id in (select generation_id from generation_uploads where upload_id = any ($1))
              and g.status = 'queued' and g.blocked
              and not exists (
                select from generation_uploads n join uploads u on u.id = n.upload_id
                 where n.generation_id = g.id and u.status <> 'ready')
           returning g.account_id`,
    [uploadIds],
    'waiting_unblock',
  );
  return [...new Set(rows.map((row) => row.account_id))];
}

/** Returns the generations that wait for these uploads, each with one of these uploads. */
export async function readWaiting(
  transaction: Queryable,
  uploadIds: readonly string[],
): Promise<{ id: string; accountId: string; uploadId: string }[]> {
  const rows = await transaction.rows<{ id: string; account_id: string; upload_id: string }>(
    `select distinct on (g.id) g.id, g.account_id, n.upload_id
             from generation_uploads n join generations g on g.id = n.generation_id
            where n.upload_id = any ($1) and g.status = 'queued' and g.blocked
            order by g.id, n.upload_id`,
    [uploadIds],
    'waiting_read',
  );
  return rows.map(({ id, account_id: accountId, upload_id: uploadId }) => ({ id, accountId, uploadId }));
}
