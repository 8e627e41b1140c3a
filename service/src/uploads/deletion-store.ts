import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';
import type { Lease, Orphan } from './store.ts';

/** Locks accounts. Code that decides which generations name an upload must hold this lock. */
async function lockAccounts(transaction: Queryable, accountIds: readonly string[]): Promise<void> {
  await transaction.execute('select 1 from accounts where id = any ($1) order by id for no key update', [
    accountIds,
  ]);
}

export type Deletion = { outcome: 'deleted' | 'unknown' } | { outcome: 'named'; generationId: string };

/**
 * Hides an upload, so that the owner of the lease removes it at the studio. `named`: unfinished generations name the
 * upload; `generationId` is the oldest of them.
 */
export async function markDeleted(
  database: Database,
  { id, accountId, owner, leaseMs }: Lease & { id: string; accountId: string },
): Promise<Deletion> {
  return database.transaction(async (transaction) => {
    await lockAccounts(transaction, [accountId]);
    const rows = await transaction.rows<{ named_by: string | null }>(
      `select (select g.id from generation_uploads n join generations g on g.id = n.generation_id
                where n.upload_id = u.id and g.completed_at is null order by g.created_at, g.id limit 1) as named_by
         from uploads u
        where u.id = $1 and u.account_id = $2 and not u.hidden and u.status in ('processing', 'ready', 'rejected')`,
      [id, accountId],
    );
    const [found] = rows;
    if (found === undefined) return { outcome: 'unknown' };
    if (found.named_by !== null) return { outcome: 'named', generationId: found.named_by };
    await transaction.execute(
      `update uploads set status = 'deleting', due_at = clock(), tries = 0, lease_owner = $2,
              lease_until = clock() + $3 * interval '1 millisecond'
        where id = $1`,
      [id, owner, leaseMs],
    );
    return { outcome: 'deleted' };
  });
}

/**
 * Checks up to `atMost` uploads that have expired. If a generation named an upload lately, or an unfinished one names
 * it, the upload gets more time. Others are deleted as if by their owner, and reconcile.ts removes them. Returns how
 * many were checked.
 */
export async function expireUploads(
  database: Database,
  { keptDays, atMost }: { keptDays: number; atMost: number },
): Promise<number> {
  const due = await database.rows<Orphan>(
    `select id, account_id from uploads
      where not hidden and status in ('ready', 'rejected') and expires_at <= clock() order by expires_at limit $1`,
    [atMost],
    'uploads_expiring',
  );
  if (due.length === 0) return 0;
  await database.transaction(async (transaction) => {
    await lockAccounts(transaction, [...new Set(due.map((upload) => upload.account_id))]);
    await transaction.execute(
      `with uses as (
         select u.id, bool_or(g.id is not null and g.completed_at is null) as under_way,
                max(g.created_at) + $2 * interval '1 day' as kept_until
           from uploads u
           left join generation_uploads n on n.upload_id = u.id
           left join generations g on g.id = n.generation_id
          where u.id = any ($1) group by u.id
       )
       update uploads u
          set status = case when s.under_way or s.kept_until > clock() then u.status else 'deleting' end,
              expires_at = case when s.under_way then clock() + interval '1 day'
                                else greatest(s.kept_until, u.expires_at) end,
              due_at = clock(), tries = 0
         from uses s
        where u.id = s.id and u.id = any ($1) and u.status in ('ready', 'rejected') and u.expires_at <= clock()`,
      [due.map(({ id }) => id), keptDays],
    );
  });
  return due.length;
}
