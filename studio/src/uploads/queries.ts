import type { Database } from '@renderkit/server-kit/db/database.ts';

/**
 * Deletes records of uploads that were deleted more than `hours` ago, a batch at a time (`studio/src/clean.ts` has the
 * hours).
 */
export async function forgetDeletedUploads(
  database: Database,
  hours: number,
  atMost: number,
): Promise<number> {
  const rowCount = await database.execute(
    `delete from deleted_uploads where (account_id, token) in (
       select account_id, token from deleted_uploads where deleted_at < clock() - $1 * interval '1 hour'
       order by deleted_at limit $2)`,
    [hours, atMost],
  );
  return rowCount;
}
