import type { StudioUpload } from '@renderkit/contract/studio/schemas/upload.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { UploadRow } from './present.ts';

/** The owner that works on an upload, and how long the lease is valid without renewal. */
export type Lease = { owner: string; leaseMs: number };

const shown = `u.id, u.status, u.type, u.url, u.file_name, u.content_type, u.size_bytes, u.width, u.height, u.error,
       u.created_at::text as created_at`;

/**
 * Inserts the row of a file before its first byte goes to the studio. After this, the file can always be found again.
 */
export async function insertReceiving(
  database: Database,
  upload: Lease & {
    id: string;
    accountId: string;
    hidden: boolean;
    projectId: string | undefined;
    /** Hexadecimal. */
    sha256?: string | undefined;
  },
): Promise<void> {
  await database.rows(
    `insert into uploads (id, account_id, status, hidden, project_id, sha256, lease_owner, lease_until)
     values ($1, $2, 'receiving', $3, $4, decode($5, 'hex'), $6, clock() + $7 * interval '1 millisecond')`,
    [
      upload.id,
      upload.accountId,
      upload.hidden,
      upload.projectId ?? null,
      upload.sha256 ?? null,
      upload.owner,
      upload.leaseMs,
    ],
    'uploads_receive',
  );
}

/** Records that the studio has the file and checks it. Returns undefined where the owner no longer has the upload. */
export async function recordStored(
  database: Database,
  stored: {
    owner: string;
    upload: StudioUpload;
    /** The project that the form named after the file. */
    projectId?: string | undefined;
    from: 'receiving' | 'coming';
    /** Milliseconds until the studio is asked about the upload, if it has reported nothing by then. */
    askAfterMs: number;
  },
): Promise<UploadRow | undefined> {
  const { upload } = stored;
  const [row] = await database.rows<UploadRow>(
    `update uploads u
        set status = 'processing', type = $4, url = $5, file_name = $6, content_type = $7, size_bytes = $8, width = $9,
            height = $10, source_url = null, processing_since = clock(), lease_owner = null, lease_until = null,
            due_at = clock() + $11 * interval '1 millisecond', tries = 0,
            project_id = coalesce($12, u.project_id)
      where u.id = $1 and u.lease_owner = $2 and u.status = $3
     returning ${shown}`,
    [
      upload.token,
      stored.owner,
      stored.from,
      upload.type,
      upload.url,
      upload.file_name,
      upload.content_type,
      upload.size_bytes,
      upload.width,
      upload.height,
      stored.askAfterMs,
      stored.projectId ?? null,
    ],
    'uploads_stored',
  );
  return row;
}

/**
 * Gives an upload that is still being received to another owner, so that a concurrent record of the first owner fails.
 * Returns false where the first owner does not have it, or it is no longer being received.
 */
export async function handOver(
  database: Database,
  { id, from, to }: { id: string; from: string; to: string },
): Promise<boolean> {
  const rows = await database.rows(
    `update uploads set lease_owner = $3 where id = $1 and lease_owner = $2 and status = 'receiving' returning id`,
    [id, from, to],
    'uploads_hand_over',
  );
  return rows.length > 0;
}

/** Returns one of the account's uploads; undefined if it is hidden, or not stored yet. */
export async function readUpload(
  database: Database,
  asked: { id: string; accountId: string },
): Promise<UploadRow | undefined> {
  const [row] = await database.rows<UploadRow>(
    `select ${shown} from uploads u
      where u.id = $1 and u.account_id = $2 and not u.hidden and u.status in ('processing', 'ready', 'rejected')`,
    [asked.id, asked.accountId],
    'uploads_read',
  );
  return row;
}

export async function renewLeases(
  database: Database,
  { ids, owner, leaseMs }: Lease & { ids: readonly string[] },
): Promise<void> {
  await database.rows(
    `update uploads set lease_until = clock() + $3 * interval '1 millisecond'
      where id in (select id from uploads where id = any ($1) and lease_owner = $2 order by id for update skip locked)`,
    [ids, owner, leaseMs],
    'uploads_renew',
  );
}

/** An address that must be fetched for a generation. */
export type Import = { id: string; account_id: string; source_url: string; tries: number };

/**
 * Takes imports that are due, a few for each account at a time, so that an account with a hundred addresses does not
 * delay others. Imports that no queued generation waits for are rejected and later removed, because a process that died
 * may have sent the file to the studio.
 */
export async function claimImports(
  database: Database,
  claim: Lease & {
    atMost: number;
    perAccount: number;
    /** How many of the taken imports, counted from the first, may be an account's second or later. Default: all. */
    furtherAtMost?: number;
  },
): Promise<Import[]> {
  await database.rows(
    `update uploads u
        set status = 'rejected', source_url = null, lease_owner = null, lease_until = null, due_at = clock(), tries = 0
      where u.status = 'coming' and u.due_at <= clock() and (u.lease_until is null or u.lease_until <= clock())
        and not exists (
          select from generation_uploads n join generations g on g.id = n.generation_id
           where n.upload_id = u.id and g.status = 'queued')`,
    [],
    'uploads_unwanted',
  );
  return database.rows<Import>(
    `with busy as (
       select account_id, count(*) as underway from uploads
        where status = 'coming' and lease_until > clock() group by account_id
     ), due as (
       select u.id, u.due_at,
              row_number() over (partition by u.account_id order by u.due_at, u.id) + coalesce(b.underway, 0) as place
         from uploads u
         join connections c on c.account_id = u.account_id and c.status = 'live'
         left join busy b on b.account_id = u.account_id
        where u.status = 'coming' and u.due_at <= clock() and (u.lease_until is null or u.lease_until <= clock())
     ), turns as (
       select id, place from due where place <= $4 order by place, due_at, id limit $3
     ), numbered as (
       select id, place, row_number() over (order by place) as turn from turns
     )
     update uploads u
        set lease_owner = $1, lease_until = clock() + $2 * interval '1 millisecond', tries = u.tries + 1
      where u.id in (select id from uploads
                      where id in (select id from numbered where place = 1 or turn <= $5)
                        and status = 'coming' and (lease_until is null or lease_until <= clock())
                      for update skip locked)
     returning u.id, u.account_id, u.source_url, u.tries`,
    [claim.owner, claim.leaseMs, claim.atMost, claim.perAccount, claim.furtherAtMost ?? claim.atMost],
    'uploads_claim_imports',
  );
}

/** Releases an upload, to be taken up again after `forMs`. */
export async function postpone(
  database: Database,
  { id, tries, owner, forMs }: Pick<Import, 'id' | 'tries'> & { owner: string; forMs: number },
): Promise<void> {
  await database.rows(
    `update uploads set lease_owner = null, lease_until = null, due_at = clock() + $3 * interval '1 millisecond'
      where id = $1 and lease_owner = $2 and tries = $4 and status <> 'receiving'`,
    [id, owner, forMs, tries],
    'uploads_postpone',
  );
}

/** An upload whose file must be removed at the studio. */
export type Orphan = { id: string; account_id: string };

/**
 * Takes uploads that must be removed, also at the studio: files whose sending process died; hidden ones that no
 * unfinished generation names, a day after their creation; and deleted or expired ones.
 */
export async function claimOrphans(database: Database, claim: Lease & { atMost: number }): Promise<Orphan[]> {
  return database.rows<Orphan>(
    `with left_behind as (
       select id from uploads where status = 'receiving' and lease_until <= clock()
        order by lease_until limit $3 for update skip locked
     ), unneeded as (
       select h.id from uploads h
        where h.hidden and h.status in ('ready', 'rejected') and h.due_at <= clock()
          and (h.lease_until is null or h.lease_until <= clock())
          and not exists (
            select from generation_uploads n join generations g on g.id = n.generation_id
             where n.upload_id = h.id and g.completed_at is null)
        order by h.due_at limit $3 for update skip locked
     ), deleted as (
       select id from uploads
        where status = 'deleting' and due_at <= clock() and (lease_until is null or lease_until <= clock())
        order by due_at limit $3 for update skip locked
     )
     -- If the studio cannot be asked to remove the upload, the next try waits for a longer lease.
     update uploads u
        set lease_owner = $1, tries = least(u.tries + 1, 12),
            lease_until = clock() + least($2 * 2 ^ least(u.tries, 12), 3600000) * interval '1 millisecond'
      where u.id in (select id from left_behind union all select id from unneeded union all select id from deleted)
     returning u.id, u.account_id`,
    [claim.owner, claim.leaseMs, claim.atMost],
    'uploads_claim_orphans',
  );
}

/** Deletes the row of an upload that this owner removes. */
export async function removeUpload(
  database: Database,
  { id, owner }: { id: string; owner: string },
): Promise<void> {
  await database.rows(
    'delete from uploads where id = $1 and lease_owner = $2',
    [id, owner],
    'uploads_remove',
  );
}

/** An upload to look up by token. `overdue`: its checks should have ended by now. */
export type Stale = { id: string; account_id: string; overdue: boolean };

/** Takes uploads in processing without a timely report from the studio. For `silentMs` no other process takes them. */
export async function takeStale(
  database: Database,
  stale: { silentMs: number; overdueMs: number; atMost: number },
): Promise<Stale[]> {
  return database.rows<Stale>(
    `update uploads u set due_at = clock() + $1 * interval '1 millisecond'
      where u.id in (select id from uploads where status = 'processing' and due_at <= clock()
                      order by due_at limit $3 for update skip locked)
     returning u.id, u.account_id, u.processing_since <= clock() - $2 * interval '1 millisecond' as overdue`,
    [stale.silentMs, stale.overdueMs, stale.atMost],
    'uploads_take_stale',
  );
}
