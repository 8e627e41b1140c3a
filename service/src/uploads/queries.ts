import { latestUsesShown, maxUsesCounted } from '@renderkit/contract/console/limits.ts';
import type { UploadRow as ShownUpload } from '@renderkit/contract/console/schemas/storage.ts';
import type { GenerationStatus } from '@renderkit/contract/v1/schemas/generation.ts';
import type { UploadStatus } from '@renderkit/contract/v1/schemas/upload.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { isoTime } from '../iso-time.ts';
import { keptDays } from './expire-unused.ts';
import { presentUpload, type UploadRow } from './present.ts';

/**
 * Returns the status of each id that is an upload which the account may name. A hidden upload may be named while it is
 * certain to exist when the request is accepted, so that an earlier request can be sent again.
 * `service/src/references/resolve-references.ts` refuses the other ids; `names_lost_upload.sql` checks again when the
 * create is accepted.
 */
export async function findUploads(
  database: Database,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, UploadStatus>> {
  if (ids.length === 0) return new Map();
  const rows = await database.rows<{ id: string; status: UploadStatus }>(
    `select id, status from uploads
      where id = any ($1) and account_id = $2
        and (not hidden and status in ('processing', 'ready', 'rejected')
             or hidden and status = 'ready' and due_at > clock() + interval '1 minute')`,
    [ids, accountId],
    'uploads_named',
  );
  return new Map(rows.map(({ id, status }) => [id, status]));
}

/**
 * Returns the address of an account's image that a request may name as a mask, hidden ones included; undefined where it
 * may not.
 */
export async function readMaskUrl(
  database: Database,
  { accountId, id }: { accountId: string; id: string },
): Promise<string | undefined> {
  const [row] = await database.rows<{ url: string }>(
    `select url from uploads
      where id = $1 and account_id = $2 and type = 'image' and status = 'ready' and url is not null
        and (not hidden or due_at > clock() + interval '1 minute')`,
    [id, accountId],
    'uploads_mask',
  );
  return row?.url;
}

/** Returns the ids that are not uploads of the account, or were deleted meanwhile. */
export async function findGone(
  database: Database,
  accountId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    `select asked.id from unnest($2::text[]) as asked (id)
      where not exists (
        select from uploads u where u.id = asked.id and u.account_id = $1 and u.status <> 'deleting')`,
    [accountId, ids],
    'uploads_gone',
  );
  return rows.map(({ id }) => id);
}

/** Returns the ids of an account's uploads whose checks have not ended; 1,000 at most. */
export async function readUploadsInProcessing(database: Database, accountId: string): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    `select id from uploads where account_id = $1 and status = 'processing' limit 1000`,
    [accountId],
    'uploads_in_processing',
  );
  return rows.map(({ id }) => id);
}

/** `left`: files that should have been removed by now. */
type UploadCounts = Record<'receiving' | 'coming' | 'processing' | 'left', number>;

/** Counts the uploads of all accounts that need further work, and files that should have been removed by now. */
export async function countUploads(database: Database): Promise<UploadCounts> {
  const [row] = await database.rows<UploadCounts>(
    `select (select count(*) from uploads where status = 'receiving')::int as receiving,
            (select count(*) from uploads where status = 'coming')::int as coming,
            (select count(*) from uploads where status = 'processing')::int as processing,
            (select count(*) from uploads
              where status = 'receiving' and lease_until <= clock() - interval '1 minute')::int
              + (select count(*) from uploads
                  where hidden and status in ('ready', 'rejected') and due_at <= clock() - interval '1 hour')::int
              + (select count(*) from uploads
                  where status = 'deleting' and due_at <= clock() - interval '1 hour')::int as left`,
    [],
    'uploads_under_way',
  );
  if (row === undefined) throw new Error('a count gave no row');
  return row;
}

/** An upload with the generations that name it. */
type ListedRow = UploadRow & {
  /** PostgreSQL's text in UTC; null while a generation that has not ended names it. */
  kept_until: string | null;
  uses: number;
  latest: { id: string; status: GenerationStatus }[];
};

/** Returns a page of an account's uploads, newest first, each with the generations that name it and its expiry. */
export async function listUploads(
  database: Database,
  page: { accountId: string; offset: number; limit: number },
): Promise<ShownUpload[]> {
  const rows = await database.rows<ListedRow>(
    `with page as (
       select id from uploads
        where account_id = $1 and not hidden and status in ('processing', 'ready', 'rejected')
        order by created_at desc, id desc limit $2 offset $3
     )
     select u.id, u.status, u.type, u.url, u.file_name, u.content_type, u.size_bytes, u.width, u.height, u.error,
            u.created_at::text as created_at, usage.uses, coalesce(newest.latest, '[]'::json) as latest,
            case when under_way.named then null
                 else greatest(u.expires_at, newest.at + $4 * interval '1 day')::text end as kept_until
       from page join uploads u using (id)
      cross join lateral (
        select count(*)::integer as uses from (
          select from generation_uploads n where n.upload_id = u.id limit $6) as counted) usage
      -- The ids of generations begin with their time of creation.
      cross join lateral (
        select json_agg(json_build_object('id', g.id, 'status', g.status) order by g.id desc) as latest,
               max(g.created_at) as at
          from (select generation_id from generation_uploads n where n.upload_id = u.id
                 order by generation_id desc limit $5) as last
         -- Looked up one by one, whatever table sizes the planner expects.
         cross join lateral (
           select id, status, created_at from generations where id = last.generation_id offset 0) g) newest
      cross join lateral (
        select exists (
          select from generation_uploads n
           cross join lateral (
             select completed_at from generations where id = n.generation_id offset 0) g
           where n.upload_id = u.id and g.completed_at is null) as named) under_way
      order by u.created_at desc, u.id desc`,
    [page.accountId, page.limit, page.offset, keptDays, latestUsesShown, maxUsesCounted],
    'uploads_list',
  );
  return rows.map((row) => ({
    object: 'upload_row',
    upload: presentUpload(row),
    kept_until: row.kept_until === null ? null : isoTime(row.kept_until),
    uses: { count: row.uses, latest: row.latest },
  }));
}

/**
 * Returns the bytes of an account's hidden uploads: masks and imports of single generations, which are removed
 * automatically.
 */
export async function readTemporaryBytes(database: Database, accountId: string): Promise<number> {
  const [row] = await database.rows<{ bytes: number }>(
    `select coalesce(sum(size_bytes), 0)::bigint as bytes from uploads
      where account_id = $1 and hidden and status in ('processing', 'ready')`,
    [accountId],
    'uploads_hidden_bytes',
  );
  return row?.bytes ?? 0;
}

/**
 * Deletes the rows of an account's next 1,000 uploads and returns how many there were. The studio erases their files
 * with its own account.
 */
export async function eraseUploads(database: Database, accountId: string): Promise<number> {
  return database.execute(
    'delete from uploads where id in (select id from uploads where account_id = $1 limit 1000)',
    [accountId],
  );
}
