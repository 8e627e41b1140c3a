import type { UploadStatus as ShownStatus } from '@renderkit/contract/v1/schemas/upload.ts';
import type { Queryable } from '@renderkit/server-kit/db/database.ts';
import type { UploadRow } from './present.ts';

/**
 * Beside what clients see: bytes still on their way to the studio, an address still to be fetched, and what is still to
 * be removed at the studio.
 */
export type UploadStatus = ShownStatus | 'receiving' | 'coming' | 'deleting';

/**
 * What may follow on each status (docs/api.md §3). From coming to rejected goes what cannot be fetched or used; what
 * was being received when its process died is removed. What is being deleted comes to nothing else.
 */
const transitions = {
  receiving: ['processing'],
  coming: ['processing', 'rejected'],
  processing: ['ready', 'rejected', 'deleting'],
  ready: ['deleting'],
  rejected: ['deleting'],
  deleting: [],
} as const satisfies Record<UploadStatus, readonly UploadStatus[]>;

/** The statuses from which an upload may go to this one. */
export function statusesBefore(to: UploadStatus): UploadStatus[] {
  return (Object.keys(transitions) as UploadStatus[]).filter((from) =>
    (transitions[from] as readonly UploadStatus[]).includes(to),
  );
}

/** What became of an upload. */
export type UploadOutcome = {
  id: string;
  accountId: string;
  status: 'ready' | 'rejected';
  /** A sentence, of what was rejected. */
  error: string | null;
  /** Where it lies now, if the studio named it. */
  url?: string | undefined;
  /** Told by who fetched it: it counts only while the lease is that try's. Absent: the studio told it, or its time is over. */
  claim?: { owner: string; tries: number } | undefined;
};

/** An upload that has just come to its end, and the moment by the database's clock. */
export type SettledRow = UploadRow & { account_id: string; hidden: boolean; at: string };

/**
 * Ends uploads that are still on their way, and returns those that it ended. What is hidden is kept for a day more.
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
                    as o (id text, account_id text, status text, error text, url text, before text[], owner text,
                          tries integer)
            -- The ids once more, so that they are looked up however few rows the planner believes there are.
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
