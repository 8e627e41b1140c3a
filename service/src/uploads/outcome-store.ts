import type { Queryable } from '@renderkit/server-kit/db/database.ts';
import type { UploadRow } from './present.ts';
import { statusesBefore } from './status.ts';

/** What became of an upload. */
export type UploadOutcome = {
  id: string;
  accountId: string;
  status: 'ready' | 'rejected';
  /** A sentence, of what was rejected. */
  error: string | null;
  /** Where it lies now, if the studio said. */
  url?: string | undefined;
};

/** An upload that has just come to its end, and the moment by the database's clock. */
export type SettledRow = UploadRow & { account_id: string; hidden: boolean; at: string };

/**
 * Ends uploads that are still on their way, and answers those that it ended. What is hidden is kept for a day more.
 * The accounts must be locked by this transaction: accepts rely on how their uploads stand.
 */
export async function endUploads(
  transaction: Queryable,
  outcomes: readonly UploadOutcome[],
): Promise<SettledRow[]> {
  const rows = await transaction.rows<SettledRow>(
    `update uploads u
              set status = o.status, error = o.error, url = coalesce(o.url, u.url), source_url = null,
                  lease_owner = null, lease_until = null, due_at = u.created_at + interval '24 hours', tries = 0
             from json_to_recordset($1::json)
                    as o (id text, account_id text, status text, error text, url text, before text[])
            -- The ids once more, so that they are looked up however few rows the planner believes there are.
            where u.id = any ($2) and u.id = o.id and u.account_id = o.account_id and u.status = any (o.before)
           returning u.id, u.account_id, u.hidden, u.status, u.type, u.url, u.file_name, u.content_type, u.size_bytes,
                     u.width, u.height, u.error, u.created_at::text as created_at, clock()::text as at`,
    [
      JSON.stringify(
        outcomes.map(({ id, accountId, status, error, url }) => ({
          id,
          account_id: accountId,
          status,
          error,
          url,
          before: statusesBefore(status),
        })),
      ),
      outcomes.map(({ id }) => id),
    ],
    'uploads_end',
  );
  return rows;
}
