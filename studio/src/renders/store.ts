import type { Lane } from '@renderkit/contract/studio/kinds.ts';
import type { StudioLimits } from '@renderkit/contract/studio/schemas/account.ts';
import type { Refusal } from '@renderkit/contract/studio/schemas/error.ts';
import type { Render, RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import type { OwnMedia } from '@renderkit/contract/studio/validate-references.ts';
import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';

/** One submit, decided as far as can be outside the transaction. */
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
  /** A file that it names is still being looked at: it is told to come again. */
  waits: boolean;
  /** Ids for what may have to be made. */
  render: string;
  prompt: string;
  api_project: string;
  job: string;
  /** Null only where the submit is refused. */
  model_version: number | null;
  delay_seconds: number;
};

export type SubmitRow = {
  item: number;
  outcome: 'accepted' | 'busy' | 'refused' | 'barred';
  answer: Render | StudioLimits | Refusal | null;
  /** Set where a job has to be enqueued. */
  job_priority: number | null;
};

export async function submitRenders(transaction: Transaction, items: SubmitItem[]): Promise<SubmitRow[]> {
  const rows = await transaction.rows<SubmitRow>(
    'select item, outcome, answer, job_priority from submit_renders($1)',
    [JSON.stringify(items)],
    'submit_renders',
  );
  return rows;
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

/** Lets nothing ever be rendered under the token, unless a render of it is known already. */
export async function tombstoneRender(
  database: Database,
  asked: { account: string; token: string; client: string; newId: string },
): Promise<{ outcome: 'barred' } | { outcome: 'known'; render: Render }> {
  const [row] = await database.rows<{ outcome: 'barred' | 'known'; render: Render | null }>(
    'select outcome, render from bar_render($1, $2, $3, $4)',
    [asked.account, asked.token, asked.client, asked.newId],
  );
  return row?.outcome === 'known' && row.render !== null
    ? { outcome: 'known', render: row.render }
    : { outcome: 'barred' };
}

export type OwnQuestion = { account: string; kind: 'project' | 'style' | 'media'; id: string };

/** What an account has of a project's, a style's or a medium's id; undefined where it has none. */
export type OwnAnswer = { media?: OwnMedia } | undefined;

/** A medium is an item of the library, or an upload by its token. */
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

/** Takes the fault that the operator set for the account's next quote; only one call gets it. */
export async function takeFault(database: Database, account: string): Promise<string | undefined> {
  const [row] = await database.rows<{ fault: string }>(
    `with taken as (select id, next_fault from accounts where id = $1 and next_fault is not null for update)
     update accounts set next_fault = null from taken where accounts.id = taken.id returning taken.next_fault as fault`,
    [account],
  );
  return row?.fault;
}

export type StartedRender = {
  id: string;
  account_id: string;
  token: string;
  lane: Lane;
  attempt: number;
  /** Of its attempts, those that do not count. */
  excused: number;
  request: RenderRequest | null;
  /** Null in renders of the release before. */
  model_version: number | null;
  expected_outputs: number;
};

export async function startRender(
  database: Database,
  render: string,
  maxAttempts: number,
): Promise<StartedRender | undefined> {
  const [row] = await database.rows<StartedRender>(
    'select id, account_id, token, lane, attempt, excused, request, model_version, expected_outputs from start_render($1, $2)',
    [render, maxAttempts],
    'start_render',
  );
  return row;
}

/**
 * Says that an attempt does not count, and which job stands for the render from now on. False where the attempt was
 * overtaken, or where this has been said already.
 */
export async function excuseAttempt(
  transaction: Transaction,
  { render, attempt, job }: { render: string; attempt: number; job: string },
): Promise<boolean> {
  const rowCount = await transaction.execute(
    `update renders set excused = excused + 1, job_id = $3
     where id = $1 and attempt = $2 and status = 'running' and job_id is distinct from $3`,
    [render, attempt, job],
  );
  return rowCount === 1;
}

/** The last attempt of a render that has none left; undefined where it has, or has ended. */
export async function findUsedUp(
  database: Database,
  render: string,
  maxAttempts: number,
): Promise<number | undefined> {
  const [row] = await database.rows<{ attempt: number }>(
    `select attempt from renders
     where id = $1 and status in ('queued', 'running') and attempt >= $2 + excused`,
    [render, maxAttempts],
  );
  return row?.attempt;
}

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
};

export type FinishedRender = Pick<StartedRender, 'id' | 'account_id' | 'attempt' | 'expected_outputs'>;

/** Ends a render; `attempt` null fences out every worker that may still be at it. Undefined where this one was fenced out. */
export async function finishRender(
  database: Database,
  end: {
    render: string;
    attempt: number | null;
    status: 'succeeded' | 'failed';
    error: { code: string; message: string } | null;
    assets: MadeAsset[];
  },
): Promise<FinishedRender | undefined> {
  const [row] = await database.rows<FinishedRender>(
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

/**
 * Renders that wait or run but have no job any more. The queue hands lost ones over by itself; this is for what it
 * forgot, such as jobs past their keeping.
 */
export async function findForgottenRenders(
  database: Database,
  minutes: number,
  atMost: number,
): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    `select r.id from renders r
     where r.status in ('queued', 'running') and r.accepted_at < clock() - $1 * interval '1 minute'
       and r.job_id is not null and not exists (select from pgboss.job j where j.id = r.job_id
         and j.state in ('created', 'retry', 'active'))
       and not exists (select from pgboss.job j where j.name = 'renders-lost' and j.data->>'render' = r.id
         and j.state in ('created', 'retry', 'active'))
     order by r.accepted_at limit $2`,
    [minutes, atMost],
  );
  return rows.map(({ id }) => id);
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

/** The stored files of an account's library and of its ready uploads, and its own styles' names, for a render that names them. */
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
