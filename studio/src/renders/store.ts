import type { Waiting } from './waiting.ts';
import type { Lane } from '@renderkit/contract/studio/kinds.ts';
import type { StudioLimits } from '@renderkit/contract/studio/schemas/account.ts';
import type { FailureStage } from '@renderkit/contract/studio/progress.ts';
import type { Refusal } from '@renderkit/contract/studio/schemas/error.ts';
import type { StopAnswer, Render, RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import type { OwnMedia } from '@renderkit/contract/studio/validate-references.ts';
import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';

/** One submit, decided as far as possible outside the transaction. */
export type SubmitItem = {
  account: string;
  token: string;
  client: string;
  lane: Lane;
  request: RenderRequest;
  project: string | null;
  cost: number;
  outputs: number;
  /** Seconds since 1970; the transaction compares it with the database's clock. */
  quote_expires: number;
  refusal: Refusal | null;
  /** A file that the request names is still being checked: the client must submit again later. */
  waits: boolean;
  /** Ids for rows that may have to be created. */
  render: string;
  prompt: string;
  api_project: string;
  /** Null only where the submit is refused. */
  model_version: number | null;
  /** Null only where the submit is refused. */
  waiting: Waiting | null;
};

export type SubmitRow = {
  item: number;
  outcome: 'accepted' | 'busy' | 'refused' | 'barred';
  answer: Render | StudioLimits | Refusal | null;
  /** Whether this submit lets a new render wait. */
  is_new: boolean;
};

/** Decides a group of submits. One statement is its own transaction: the answer comes after its commit. */
export async function acceptRenders(database: Database, items: SubmitItem[]): Promise<SubmitRow[]> {
  return database.rows<SubmitRow>(
    'select item, outcome, answer, is_new from accept_renders($1)',
    [JSON.stringify(items)],
    'accept_renders',
  );
}

export async function findRenders(
  database: Database,
  account: string,
  tokens: string[],
): Promise<{ renders: Render[]; ledger_seq: number }> {
  const [row] = await database.rows<{ renders: Render[]; ledger_seq: number }>(
    `select a.ledger_seq, coalesce((
       select json_agg(render_json(r)) from renders r
       where r.account_id = a.id and r.token = any($2)
         and r.status in ('queued', 'running', 'succeeded', 'failed')), '[]'::json) as renders
     from accounts a where a.id = $1`,
    [account, tokens],
    'find_renders',
  );
  return row ?? { renders: [], ledger_seq: 0 };
}

/** Bars a token, so that nothing is ever rendered under it, unless it has a render already. */
export async function tombstoneRender(
  database: Database,
  asked: { account: string; token: string; client: string; newId: string },
): Promise<{ outcome: 'barred' } | { outcome: 'known'; render: Render }> {
  const [row] = await database.rows<{ outcome: 'barred' | 'known'; render: Render | null }>(
    'select outcome, render from tombstone_render($1, $2, $3, $4)',
    [asked.account, asked.token, asked.client, asked.newId],
  );
  return row?.outcome === 'known' && row.render !== null
    ? { outcome: 'known', render: row.render }
    : { outcome: 'barred' };
}

/**
 * Stops a render or returns why it cannot; `undefined` if the account has no render with this token. The caller must
 * wake the workers afterwards.
 */
export async function stopRender(
  database: Database,
  asked: { account: string; token: string; refund: 'none' | 'full'; unstoppable: readonly string[] },
): Promise<StopAnswer | undefined> {
  const [row] = await database.rows<StopAnswer>(
    'select outcome, was_ended, render from stop_render($1, $2, $3, $4)',
    [asked.account, asked.token, asked.refund, asked.unstoppable],
    'stop_render',
  );
  return row;
}

export type OwnQuestion = { account: string; kind: 'project' | 'style' | 'media'; id: string };

/** What an account has under the id of a project, style or medium; `undefined` if it has nothing. */
export type OwnAnswer = { media?: OwnMedia } | undefined;

/** Looks up what accounts own. A medium is an item of the library, or an upload by its token. */
export async function findOwn(database: Database, asked: OwnQuestion[]): Promise<OwnAnswer[]> {
  const rows = await database.rows<{ own: boolean; media: OwnMedia | null }>(
    `select coalesce(case asked.kind
         when 'project' then exists (select from projects p where p.id = asked.id and p.account_id = asked.account)
         when 'style' then exists (select from styles s where s.id = asked.id and s.account_id = asked.account)
       end, false) as own,
       case when asked.kind = 'media' then coalesce(
         (select json_build_object('type', a.type, 'from', 'library', 'status', 'ready', 'content_type', a.content_type,
            'size_bytes', a.size_bytes, 'width', a.width, 'height', a.height, 'duration', a.duration)
          from assets a where a.id = asked.id and a.account_id = asked.account),
         (select json_build_object('type', u.type, 'from', 'upload', 'status', u.status, 'content_type', u.content_type,
            'size_bytes', u.size_bytes, 'width', u.width, 'height', u.height, 'duration', u.duration)
          from uploads u where u.account_id = asked.account and u.token = asked.id)) end as media
     from unnest($1::text[], $2::text[], $3::text[]) with ordinality as asked (account, kind, id, position)
     order by asked.position`,
    [asked.map(({ account }) => account), asked.map(({ kind }) => kind), asked.map(({ id }) => id)],
    'find_own',
  );
  return rows.map(({ own, media }) => (media !== null ? { media } : own ? {} : undefined));
}

/**
 * Takes the error that the operator set for the account's next quote; only one call gets it. Release 1 has the column
 * `next_fault`.
 */
export async function takeInjectedError(database: Database, account: string): Promise<string | undefined> {
  const [row] = await database.rows<{ fault: string }>(
    `with taken as (select id, next_fault from accounts where id = $1 and next_fault is not null for update)
     update accounts set next_fault = null from taken where accounts.id = taken.id returning taken.next_fault as fault`,
    [account],
  );
  return row?.fault;
}

export type RenderAttempt = {
  id: string;
  account_id: string;
  attempt: number;
  expected_outputs: number;
};

export type MadeAsset = {
  id: string;
  position: number;
  type: 'image' | 'video';
  storage_key: string;
  thumb_key: string | null;
  content_type: string;
  size_bytes: number;
  width: number | null;
  height: number | null;
  duration: number | null;
  aspect_ratio: string | null;
  nsfw: boolean;
  /** The seed that its job got; `null` if the engine takes none. */
  seed: number | null;
};

/**
 * Ends a render. With `attempt` null, every worker that may still run the render is fenced out. Returns `undefined` if
 * this caller was fenced out.
 */
export async function finishRender(
  queryable: Queryable,
  end: {
    render: string;
    attempt: number | null;
    status: 'succeeded' | 'failed';
    error: { code: string; message: string; stage?: FailureStage } | null;
    assets: MadeAsset[];
  },
): Promise<RenderAttempt | undefined> {
  const [row] = await queryable.rows<RenderAttempt>(
    'select id, account_id, attempt, expected_outputs from finish_render($1, $2, $3, $4, $5)',
    [
      end.render,
      end.attempt,
      end.status,
      end.error === null ? null : JSON.stringify(end.error),
      JSON.stringify(end.assets),
    ],
    'finish_render',
  );
  return row;
}

export type ReferenceFile = {
  id: string;
  storage_key: string;
  type: 'image' | 'video' | 'audio';
  width: number | null;
  height: number | null;
  duration: number | null;
};

export type MaterialsFound = { files: ReferenceFile[]; styles: { id: string; name: string }[] };

/**
 * Finds the files that a render names, in the account's library and its ready uploads, and the names of the account's
 * own styles.
 */
export async function findMaterials(
  database: Database,
  account: string,
  ids: string[],
): Promise<MaterialsFound> {
  const [row] = await database.rows<MaterialsFound>(
    `select coalesce((select json_agg(f) from (
         select id, storage_key, type, width, height, duration from assets where account_id = $1 and id = any($2)
         union all
         select token, storage_key, type, width, height, duration from uploads
         where account_id = $1 and token = any($2) and status = 'ready') as f), '[]'::json) as files,
       coalesce((select json_agg(json_build_object('id', id, 'name', name)) from styles
         where account_id = $1), '[]'::json) as styles`,
    [account, ids],
  );
  return row ?? { files: [], styles: [] };
}
