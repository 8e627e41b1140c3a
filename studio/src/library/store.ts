import type { StudioBody, StudioParams, StudioQuery } from '@renderkit/contract/studio/operations.ts';
import type { StudioAsset } from '@renderkit/contract/studio/schemas/library.ts';
import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import { requireSpace } from '../storage/reserve.ts';

/** The maximum length of the prompt that is shown with an item. */
const promptCharacters = 500;
const assetRow = `a.id, a.type, a.generation_type, a.storage_key as url, a.thumb_key as thumb_url, a.width, a.height,
  a.duration, a.aspect_ratio, a.nsfw, a.favorite, a.project_id, a.prompt_id, iso_time(a.created_at) as created_at,
  left(a.prompt, ${promptCharacters}) as prompt, (select token from renders where id = a.render_id) as token,
  a.frame_video_id as frame_of`;

/** The items that each type in an address stands for. A saved frame counts as `image` only for reading. */
const readAs = {
  image: `a.type = 'image'`,
  video: `a.type = 'video'`,
  frame: `a.generation_type = 'frame'`,
} as const;
const writtenAs = {
  image: `a.type = 'image' and a.generation_type is distinct from 'frame'`,
  video: readAs.video,
  frame: readAs.frame,
} as const;

type Address = StudioParams<'getAsset'> & { account: string };

/** Returns one page, newest first, and whether more follow. An index exists for each filter. */
export async function selectAssets(
  database: Database,
  account: string,
  { page, limit, type, project_id, search, favorites, made_from, made_before }: StudioQuery<'listAssets'>,
): Promise<{ assets: StudioAsset[]; hasMore: boolean }> {
  const values: unknown[] = [account, limit + 1, (page - 1) * limit];
  const conditions = ['account_id = $1'];
  const condition = (text: (parameter: string) => string, value: unknown) => {
    values.push(value);
    conditions.push(text(`$${values.length}`));
  };
  if (type !== undefined) condition((parameter) => `type = ${parameter}`, type);
  if (project_id !== undefined) condition((parameter) => `project_id = ${parameter}`, project_id);
  if (favorites !== undefined) conditions.push(favorites ? 'favorite' : 'not favorite');
  if (made_from !== undefined) condition((parameter) => `created_at >= ${parameter}`, made_from);
  if (made_before !== undefined) condition((parameter) => `created_at < ${parameter}`, made_before);
  const found =
    search === undefined || search.trim() === ''
      ? `select id, created_at from assets where ${conditions.join(' and ')}`
      : itemsOfWords(conditions.join(' and '), `words @@ search_words($1, $${values.push(search)})`);
  const assets = await database.rows<StudioAsset>(
    `select ${assetRow} from (
       select id from (${found}) found order by created_at desc, id desc limit $2 offset $3) as page
     join assets a using (id) order by a.created_at desc, a.id desc`,
    values,
  );
  return { assets: assets.slice(0, limit), hasMore: assets.length > limit };
}

/** A search for words reads so many of a library's newest items before it uses the index of words. */
const readForWords = 2_000;

// One index of words serves all accounts. A search for the beginnings of words reads the entries of all libraries,
// which takes seconds for a common word among millions of items. So the search first reads the newest items of this
// library. It uses the index only when the library has more items and the newest do not fill the page. The planner
// cannot choose: it assumes that every word is common.
const itemsOfWords = (conditions: string, words: string) => `
  with newest as materialized (
    select id, created_at, words from assets where ${conditions}
     order by created_at desc, id desc limit ${readForWords}
  ), near as materialized (
    select id, created_at from newest where ${words}
  ), found as materialized (
    select id, created_at from assets where ${conditions} and ${words}
  ), whole as (
    select (select count(*) from newest) < ${readForWords} or (select count(*) from near) >= $2::bigint + $3 as is_near
  )
  select id, created_at from near where (select is_near from whole)
  union all
  select id, created_at from found where not (select is_near from whole)`;

export async function findAsset(
  database: Database,
  { account, type, id }: Address,
): Promise<StudioAsset | undefined> {
  const [row] = await database.rows<StudioAsset>(
    `select ${assetRow} from assets a where a.id = $2 and a.account_id = $1 and ${readAs[type]}`,
    [account, id],
  );
  return row;
}

export async function updateFavorite(
  database: Database,
  { account, type, id }: Address,
  { favorite }: StudioBody<'favoriteAsset'>,
): Promise<StudioAsset | undefined> {
  const [row] = await database.rows<StudioAsset>(
    `update assets a set favorite = $3 where a.id = $2 and a.account_id = $1 and ${writtenAs[type]}
     returning ${assetRow}`,
    [account, id, favorite],
  );
  return row;
}

/** Returns those of the items that the account has, in no order. */
export function findAssets(
  database: Database,
  account: string,
  ids: readonly string[],
): Promise<StudioAsset[]> {
  return database.rows<StudioAsset>(
    `select ${assetRow} from assets a where a.id = any($2) and a.account_id = $1`,
    [account, ids],
  );
}

/**
 * Deletes an item. Returns the folders of its files and of the frames taken from it; `undefined` when there is no such
 * item.
 */
export async function deleteAssetRow(
  database: Database,
  { account, type, id }: Address,
): Promise<string[] | undefined> {
  return database.transaction(async (transaction) => {
    // Locks the account's row first, as everywhere.
    await transaction.execute('select from accounts where id = $1 for update', [account]);
    const rowCount = await transaction.execute(
      `select from assets a where a.id = $2 and a.account_id = $1 and ${writtenAs[type]}`,
      [account, id],
    );
    if (rowCount === 0) return undefined;
    const rows = await transaction.rows<{ folder: string }>('select delete_asset($1, $2) as folder', [
      account,
      id,
    ]);
    return rows.map(({ folder }) => folder);
  });
}

export type VideoRow = {
  id: string;
  storage_key: string;
  duration: number | null;
  nsfw: boolean;
  prompt: string | null;
  own_project: boolean;
};

export async function findVideo(
  database: Database,
  account: string,
  id: string,
  project: string | null,
): Promise<VideoRow | undefined> {
  const [row] = await database.rows<VideoRow>(
    `select id, storage_key, duration, nsfw, prompt,
       $3::text is null or exists (select from projects where id = $3 and account_id = $1) as own_project
     from assets where id = $2 and account_id = $1 and type = 'video'`,
    [account, id, project],
  );
  return row;
}

export type FrameRow = { storage_key: string; width: number; height: number; size_bytes: number };

/** A frame that nobody saves is kept for this time after it was taken, and after the last request for it. */
const keptWhenTaken = `interval '2 days'`;
const keptWhenAsked = `interval '1 day'`;

/** Finds a frame and extends its time. Returns `undefined` when the frame was never taken or is gone. */
export async function findFrame(
  database: Database,
  video: string,
  timeMs: number,
): Promise<FrameRow | undefined> {
  const [row] = await database.rows<FrameRow>(
    `update frames set kept_until = greatest(kept_until, clock() + ${keptWhenAsked})
     where video_id = $1 and time_ms = $2 returning storage_key, width, height, size_bytes`,
    [video, timeMs],
  );
  return row;
}

/** Removes up to `atMost` frames that nobody requested lately. Returns the folders of their files. */
export async function deleteExpiredFrames(database: Database, atMost: number): Promise<string[]> {
  const rows = await database.rows<{ folder: string }>('select expire_frames($1) as folder', [atMost]);
  return rows.map(({ folder }) => folder);
}

/**
 * Inserts a frame. `known`: another call was first. `gone`: the video was deleted meanwhile. @throws StudioError
 * `storage_full`
 */
export async function insertFrame(
  transaction: Transaction,
  frame: FrameRow & { account: string; video: string; timeMs: number },
): Promise<'stored' | 'known' | 'gone'> {
  // Deleting the video takes the same lock.
  const accounts = await transaction.execute(
    'select from accounts where id = $1 and deleted_at is null for update',
    [frame.account],
  );
  const videos = await transaction.execute('select from assets where id = $1', [frame.video]);
  if (accounts === 0 || videos === 0) return 'gone';
  await requireSpace(transaction, frame.account, frame.size_bytes);
  const rowCount = await transaction.execute(
    `insert into frames (video_id, time_ms, storage_key, width, height, size_bytes, kept_until)
     values ($1, $2, $3, $4, $5, $6, clock() + ${keptWhenTaken}) on conflict (video_id, time_ms) do nothing`,
    [frame.video, frame.timeMs, frame.storage_key, frame.width, frame.height, frame.size_bytes],
  );
  return rowCount === 1 ? 'stored' : 'known';
}

export type NewAsset = {
  id: string;
  account: string;
  project: string | null;
  type: 'image' | 'video';
  generationType: string;
  key: string;
  thumbKey: string | null;
  contentType: string;
  sizeBytes: number;
  width: number | null;
  height: number | null;
  durationSeconds: number | null;
  aspectRatio: string | null;
  nsfw: boolean;
  promptId: string | null;
  prompt: string | null;
  /** For a frame: its video and time. A frame is stored only if the account's storage has room. */
  frame?: { video: string; timeMs: number };
};

/** `known`: the project already has this frame. `gone`: the account or the project was deleted meanwhile. */
export type InsertedAsset = { outcome: 'stored' | 'known'; item: SavedFrame } | { outcome: 'gone' };

/** @throws StudioError `storage_full` */
export async function insertAsset(transaction: Transaction, asset: NewAsset): Promise<InsertedAsset> {
  const rowCount = await transaction.execute(
    `select from accounts where id = $1 and deleted_at is null
       and ($2::text is null or exists (select from projects where id = $2 and account_id = $1)) for update`,
    [asset.account, asset.project],
  );
  if (rowCount === 0) return { outcome: 'gone' };
  if (asset.frame !== undefined) await requireSpace(transaction, asset.account, asset.sizeBytes);
  const rows = await transaction.rows<SavedFrame>(
    `insert into assets (id, account_id, project_id, type, generation_type, storage_key, thumb_key, content_type,
       size_bytes, width, height, duration, aspect_ratio, nsfw, prompt_id, prompt, frame_video_id, frame_time_ms)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
     on conflict (project_id, frame_video_id, frame_time_ms)
       where project_id is not null and frame_video_id is not null do nothing
     returning id, storage_key as key`,
    [
      asset.id,
      asset.account,
      asset.project,
      asset.type,
      asset.generationType,
      asset.key,
      asset.thumbKey,
      asset.contentType,
      asset.sizeBytes,
      asset.width,
      asset.height,
      asset.durationSeconds,
      asset.aspectRatio,
      asset.nsfw,
      asset.promptId,
      asset.prompt,
      asset.frame?.video ?? null,
      asset.frame?.timeMs ?? null,
    ],
  );
  if (rows[0] !== undefined) return { outcome: 'stored', item: rows[0] };
  const [first] = await transaction.rows<SavedFrame>(
    'select id, storage_key as key from assets where project_id = $1 and frame_video_id = $2 and frame_time_ms = $3',
    [asset.project, asset.frame?.video, asset.frame?.timeMs],
  );
  if (first === undefined) throw new Error('an item is inserted or was there');
  return { outcome: 'known', item: first };
}

/** A frame as an item of the library: its id and the key of its file. */
export type SavedFrame = { id: string; key: string };

export async function findSavedFrame(
  database: Database,
  frame: { project: string; video: string; timeMs: number },
): Promise<SavedFrame | undefined> {
  const [row] = await database.rows<SavedFrame>(
    'select id, storage_key as key from assets where project_id = $1 and frame_video_id = $2 and frame_time_ms = $3',
    [frame.project, frame.video, frame.timeMs],
  );
  return row;
}
