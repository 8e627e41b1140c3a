import type { ProgressRequest, RenderStage, WaitReason } from '@renderkit/contract/studio/progress.ts';
import type { Kind } from '@renderkit/contract/studio/kinds.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { TimesRow } from '@renderkit/server-kit/work/range-cache.ts';

/** A worker's report about a render. */
export type ReportRow = {
  render: string;
  attempt: number;
  stage: RenderStage;
  fraction: number | null;
  step: number | null;
  steps: number | null;
  outputsDone: number;
  position: number | null;
  /** Whether the preview is only for people with a verified age. */
  adult: boolean;
  preview: { bytes: Buffer; index: number; width: number; height: number } | null;
};

/**
 * Overwrites the progress of a render. Returns whether somebody watches the render; `undefined` when another attempt
 * has taken over.
 *
 * This differs from the rule of `contract/studio/age.ts` on who may request a model. An accepted render continues when
 * its account's age is no longer verified; then previews of a model for adults are not stored.
 */
export async function recordReport(database: Database, report: ReportRow): Promise<boolean | undefined> {
  const { preview } = report;
  const [row] = await database.rows<{ watched: boolean }>(
    `insert into render_progress as p (render_id, attempt, stage, fraction, step, steps, outputs_done, position, revision,
       preview, preview_index, preview_width, preview_height, preview_revision)
     select r.id, r.attempt, $3, $4, $5, $6, $7, $8, 1, shown.bytes, shown.index, shown.width, shown.height,
       (shown.bytes is not null)::integer
     from renders r join accounts a on a.id = r.account_id
     left join lateral (select $10::bytea as bytes, $11::integer as index, $12::integer as width, $13::integer as height)
       shown on a.age_verified or not $9
     where r.id = $1 and r.attempt = $2 and r.status = 'running'
     on conflict (render_id) do update set attempt = excluded.attempt, stage = excluded.stage,
       fraction = greatest(p.fraction, excluded.fraction), step = excluded.step, steps = excluded.steps,
       outputs_done = excluded.outputs_done, position = excluded.position, revision = p.revision + 1,
       preview = coalesce(excluded.preview, p.preview), preview_index = coalesce(excluded.preview_index, p.preview_index),
       preview_width = coalesce(excluded.preview_width, p.preview_width),
       preview_height = coalesce(excluded.preview_height, p.preview_height),
       preview_revision = p.preview_revision + excluded.preview_revision, reported_at = clock()
     where coalesce(p.attempt, 0) <= excluded.attempt
     returning coalesce(watched_until > clock(), false) as watched`,
    [
      report.render,
      report.attempt,
      report.stage,
      report.fraction,
      report.step,
      report.steps,
      report.outputsDone,
      report.position,
      report.adult,
      preview?.bytes ?? null,
      preview?.index ?? null,
      preview?.width ?? null,
      preview?.height ?? null,
    ],
    'record_report',
  );
  return row?.watched;
}

export type ProgressRow = {
  /** 0-based position in the request. */
  place: number;
  /** `null` when there is no such render, or the client has no grant of the account. */
  render: string | null;
  status: 'queued' | 'running' | 'ended';
  kind: Kind;
  model: string;
  expected_outputs: number;
  /** Since an engine first began; `null` when no engine has begun. */
  run_seconds: number | null;
  /** `null` when nothing was reported. */
  stage: RenderStage | null;
  fraction: number | null;
  step: number | null;
  steps: number | null;
  outputs_done: number;
  position: number | null;
  revision: number;
  preview_index: number | null;
  preview_revision: number;
  preview_width: number | null;
  preview_height: number | null;
  /** Set when the preview is newer than requested. */
  preview: Buffer | null;
};

/**
 * Reads the progress of renders. A render that waits again after a try shows no stage and steps of that try. The next
 * try shows none until its first report. Only the fraction stays, because it never decreases.
 */
export async function readProgress(
  database: Database,
  client: string,
  asked: readonly ProgressRequest['renders'][number][],
): Promise<ProgressRow[]> {
  return database.rows<ProgressRow>(
    `select (asked.place - 1)::integer as place, r.id as render,
       case when r.status in ('queued', 'running') then r.status else 'ended' end as status, r.kind, r.model,
       r.expected_outputs, extract(epoch from clock() - r.started_at)::real as run_seconds,
       try.stage, p.fraction, try.step, try.steps, greatest(r.outputs_done, coalesce(p.outputs_done, 0)) as outputs_done,
       try.position, coalesce(p.revision, 0) as revision,
       p.preview_index, coalesce(p.preview_revision, 0) as preview_revision, p.preview_width, p.preview_height,
       case when p.preview_revision > asked.preview_after then p.preview end as preview
     from unnest($2::text[], $3::text[], $4::integer[]) with ordinality as asked (account, token, preview_after, place)
     left join lateral (
       select * from renders where account_id = asked.account and token = asked.token
         and exists (select from oidc_payloads where model = 'Grant' and account_id = asked.account and client_id = $1
           and expires_at > clock()) limit 1) r on true
     left join render_progress p on p.render_id = r.id
     left join lateral (select p.stage, p.step, p.steps, p.position
       where r.status = 'running' and p.attempt = r.attempt) try on true`,
    [
      client,
      asked.map(({ account }) => account),
      asked.map(({ token }) => token),
      asked.map((one) => one.preview_after),
    ],
    'read_progress',
  );
}

export type WaitRow = {
  render: string;
  /** `null` for a render that the previous release has queued. */
  position: number | null;
  of: number | null;
  /** `null` when an engine is about to take the render. */
  reason: WaitReason | null;
  /** Running jobs on the backends that can make the render. */
  running: number;
};

/** Reads the positions of waiting renders and why they wait: `render_waits.sql`. */
export async function readWaits(database: Database, renders: readonly string[]): Promise<WaitRow[]> {
  if (renders.length === 0) return [];
  return database.rows<WaitRow>('select * from render_waits($1)', [renders], 'render_waits');
}

/**
 * Marks these renders as watched for so many seconds from now. A render that ends at this moment may leave a row
 * behind, which the cleaner removes. Returns the renders that nobody watched before.
 */
export async function extendWatches(
  database: Database,
  renders: readonly string[],
  seconds: number,
): Promise<string[]> {
  const begun = await database.rows<{ render_id: string }>(
    `with watched as (select render_id from render_progress where render_id = any ($1) and watched_until > clock()),
     extended as (
       insert into render_progress as p (render_id, watched_until)
       select id, clock() + $2 * interval '1 second' from renders where id = any ($1) and status in ('queued', 'running')
       on conflict (render_id) do update set watched_until = excluded.watched_until
       where p.watched_until is null or p.watched_until < clock() + $2 / 2 * interval '1 second'
       returning render_id)
     select render_id from extended where render_id not in (select render_id from watched)`,
    [renders, seconds],
    'extend_progress_watches',
  );
  return begun.map((row) => row.render_id);
}

export type TakenKey = { model: string; kind: Kind; outputs: number };

/**
 * Reads how long the last fifty renders of each key took from the first engine's start: 20 % took less than `low`, 20 %
 * more than `high`.
 */
export async function readTaken(database: Database, keys: readonly TakenKey[]): Promise<TimesRow[]> {
  return database.rows<TimesRow>(
    `select taken.* from unnest($1::text[], $2::text[], $3::integer[]) with ordinality as k (model, kind, outputs, place)
     cross join lateral (
       select count(*)::integer as count, percentile_cont(0.2) within group (order by seconds)::real as low,
         percentile_cont(0.8) within group (order by seconds)::real as high
       from (select extract(epoch from completed_at - started_at) as seconds from renders
         where model = k.model and kind = k.kind and expected_outputs = k.outputs and status = 'succeeded'
         order by completed_at desc limit 50) last) taken
     order by k.place`,
    [keys.map(({ model }) => model), keys.map(({ kind }) => kind), keys.map(({ outputs }) => outputs)],
    'read_taken',
  );
}
