import type { StudioUpload } from '@renderkit/contract/studio/schemas/upload.ts';
import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';

export async function findUploads(
  database: Database,
  account: string,
  tokens: string[],
): Promise<StudioUpload[]> {
  const rows = await database.rows<{ upload: StudioUpload }>(
    'select upload_json(u) as upload from uploads u where account_id = $1 and token = any($2)',
    [account, tokens],
    'find_uploads',
  );
  return rows.map(({ upload }) => upload);
}

export type BeforeUpload = { upload: StudioUpload | null; deleted: boolean; own_project: boolean };

/**
 * Reads what must be known before a file is taken: what the token already names, and whether the account has the
 * project.
 */
export async function findBeforeUpload(
  database: Database,
  asked: { account: string; token: string; project: string | null },
): Promise<BeforeUpload> {
  const [row] = await database.rows<BeforeUpload>(
    `select (select upload_json(u) from uploads u where account_id = $1 and token = $2) as upload,
       exists (select from deleted_uploads where account_id = $1 and token = $2) as deleted,
       $3::text is null or exists (select from projects where id = $3 and account_id = $1) as own_project`,
    [asked.account, asked.token, asked.project],
  );
  if (row === undefined) throw new Error('a select without a table has one row');
  return row;
}

export type NewUpload = {
  id: string;
  account: string;
  token: string;
  project: string | null;
  type: StudioUpload['type'];
  hidden: boolean;
  fileName: string;
  key: string;
  contentType: string;
  sizeBytes: number;
  sha256: string;
  width: number | null;
  height: number | null;
  durationSeconds: number | null;
  hasAudio: boolean;
};

/** `known`: the token already names an upload. `gone`: the account, or the token, was deleted meanwhile. */
export type InsertedUpload =
  | { outcome: 'stored' | 'known'; upload: StudioUpload }
  | { outcome: 'gone'; upload?: undefined };

export async function insertUpload(transaction: Transaction, upload: NewUpload): Promise<InsertedUpload> {
  const rowCount = await transaction.execute(
    'select from accounts where id = $1 and deleted_at is null for update',
    [upload.account],
  );
  const deleted = await transaction.rows('select from deleted_uploads where account_id = $1 and token = $2', [
    upload.account,
    upload.token,
  ]);
  if (rowCount === 0 || deleted.length > 0) return { outcome: 'gone' };
  const rows = await transaction.rows<{ upload: StudioUpload; fresh: boolean }>(
    `with fresh as (
       insert into uploads (id, account_id, token, project_id, type, hidden, file_name, storage_key, content_type,
         size_bytes, sha256, width, height, duration, has_audio)
       values ($1, $2, $3, (select id from projects where id = $4), $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
       on conflict (account_id, token) do nothing returning *)
     select upload_json(u) as upload, true as fresh from fresh u
     union all select upload_json(u), false from uploads u where account_id = $2 and token = $3`,
    [
      upload.id,
      upload.account,
      upload.token,
      upload.project,
      upload.type,
      upload.hidden,
      upload.fileName,
      upload.key,
      upload.contentType,
      upload.sizeBytes,
      upload.sha256,
      upload.width,
      upload.height,
      upload.durationSeconds,
      upload.hasAudio,
    ],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an upload is inserted or was there');
  return { outcome: row.fresh ? 'stored' : 'known', upload: row.upload };
}

export type UploadToCheck = {
  id: string;
  account_id: string;
  type: StudioUpload['type'];
  file_name: string;
  storage_key: string;
  content_type: string;
  sha256: string;
  width: number | null;
  height: number | null;
  duration: number | null;
  has_audio: boolean;
};

/** Returns `undefined` when the outcome is already stored. */
export async function findUploadToCheck(database: Database, id: string): Promise<UploadToCheck | undefined> {
  const [row] = await database.rows<UploadToCheck>(
    `select id, account_id, type, file_name, storage_key, content_type, sha256, width, height, duration, has_audio
     from uploads where id = $1 and status = 'processing'`,
    [id],
  );
  return row;
}

/** The account whose feed changed, and the folder of a rejected file, which is now an orphan. */
export type SettledUpload = { account_id: string; orphan_folder: string | null };

/** Stores the outcome. Returns `undefined` when an outcome was stored before. */
export async function settleUpload(
  database: Database,
  id: string,
  outcome: { status: 'ready' } | { status: 'rejected'; error: string },
): Promise<SettledUpload | undefined> {
  const [row] = await database.rows<SettledUpload>(
    `with settled as (
       select account_id, case when status = 'rejected' then split_part(storage_key, '/', 1) end as orphan_folder
         from settle_upload($1, $2, $3)
     ), orphaned as (
       insert into loose_folders (folder, remove_after)
       select orphan_folder, clock() from settled where orphan_folder is not null
       on conflict (folder) do update set remove_after = clock()
     )
     select account_id, orphan_folder from settled`,
    [id, outcome.status, outcome.status === 'rejected' ? outcome.error : null],
  );
  return row;
}

export async function findOverdueUploads(
  database: Database,
  minutes: number,
  atMost: number,
): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    `select id from uploads where status = 'processing' and created_at < clock() - $1 * interval '1 minute'
     order by created_at limit $2`,
    [minutes, atMost],
  );
  return rows.map(({ id }) => id);
}

/** Returns `undefined` when the account has no such upload, or no such project. */
export async function moveToProject(
  database: Database,
  move: { account: string; token: string; project: string },
): Promise<StudioUpload | undefined> {
  const [row] = await database.rows<{ upload: StudioUpload }>(
    // The project is locked: a deletion of the project either comes before or finds the upload in it.
    `with project as (select id from projects where id = $3 and account_id = $1 for share)
     update uploads u set project_id = project.id from project where u.account_id = $1 and u.token = $2
     returning upload_json(u) as upload`,
    [move.account, move.token, move.project],
  );
  return row?.upload;
}

/**
 * Deletes an upload. Returns the folder of its file, if there was one. The service refuses to delete an upload in use
 * (`service/src/uploads/delete-upload.ts`) and expires unused ones (`expire-unused.ts` beside it).
 */
export async function deleteUploadRow(
  database: Database,
  account: string,
  token: string,
): Promise<string | undefined> {
  const [row] = await database.rows<{ folder: string | null }>('select delete_upload($1, $2) as folder', [
    account,
    token,
  ]);
  return row?.folder ?? undefined;
}
