import type { UploadStatus as ShownStatus } from '@renderkit/contract/v1/schemas/upload.ts';
import type { Queryable } from '@renderkit/server-kit/db/database.ts';
import type { UploadRow } from './present.ts';

/**
 * Has three statuses that clients do not see: `receiving`, the bytes are on their way to the studio; `coming`, an
 * address is still to be fetched; `deleting`, the file is still to be removed at the studio.
 */
export type UploadStatus = ShownStatus | 'receiving' | 'coming' | 'deleting';

/**
 * The statuses that may follow each status (docs/api.md §3). An upload goes from coming to rejected if it cannot be
 * fetched or used. If a process died while it was receiving a file, the upload is removed. Deleting is final. Only
 * `endUploads` reads this table; the statements in `store.ts` and `deletion-store.ts` repeat its statuses.
 */
const transitions = {
  receiving: ['processing'],
  coming: ['processing', 'rejected'],
  processing: ['ready', 'rejected', 'deleting'],
  ready: ['deleting'],
  rejected: ['deleting'],
  deleting: [],
} as const satisfies Record<UploadStatus, readonly UploadStatus[]>;

/** Returns the statuses from which an upload may go to this one. */
export function statusesBefore(to: UploadStatus): UploadStatus[] {
  return (Object.keys(transitions) as UploadStatus[]).filter((from) =>
    (transitions[from] as readonly UploadStatus[]).includes(to),
  );
}

/**
 * The outcome of an upload. The studio decides it for a stored file (`studio/src/uploads/check-upload.ts`), and
 * `imports.ts` for an address without a usable file.
 */
export type UploadOutcome = {
  id: string;
  accountId: string;
  status: 'ready' | 'rejected';
  /** A sentence for a rejected upload. */
  error: string | null;
  /** The file's current address, if the studio reported it. */
  url?: string | undefined;
  /**
   * Set when the fetching process reports the outcome: valid only while that try holds the lease. Absent when the
   * studio reported the outcome, or the upload is overdue.
   */
  claim?: { owner: string; tries: number } | undefined;
};

/** An upload that has just ended; `at` is the database's time. */
export type SettledRow = UploadRow & { account_id: string; hidden: boolean; at: string };

/**
 * Ends uploads that have not ended, and returns them. Hidden uploads are kept for 24 hours after their creation. This
 * transaction must have locked the accounts, because accepts rely on the status of uploads.
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
                    as o (id text, account_id text, status text, error text, url text, before text[], owner text,
                          tries integer)
            -- The ids are repeated, so that rows are looked up by id even if the planner expects few rows.
            where u.id = any ($2) and u.id = o.id and u.account_id = o.account_id and u.status = any (o.before)
              and (o.owner is null or (u.status = 'coming' and u.lease_owner = o.owner and u.tries = o.tries))
           returning u.id, u.account_id, u.hidden, u.status, u.type, u.url, u.file_name, u.content_type, u.size_bytes,
                     u.width, u.height, u.error, u.created_at::text as created_at, clock()::text as at`,
    [
      JSON.stringify(
        outcomes.map(({ id, accountId, status, error, url, claim }) => ({
          id,
          account_id: accountId,
          status,
          error,
          url,
          before: statusesBefore(status),
          ...claim,
        })),
      ),
      outcomes.map(({ id }) => id),
    ],
    'uploads_end',
  );
  return rows;
}
