import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { isObject } from '@renderkit/engine-kit/backend-answer.ts';
import type { Handle } from '@renderkit/engine-kit/driver.ts';
import { type Database, sqlState, type Transaction } from '@renderkit/server-kit/db/database.ts';
import type { MadeAsset, RenderAttempt } from './store.ts';
import type { Waiting } from './waiting.ts';

const uniqueViolation = '23505';

/** Identifies a submission as its worker holds it. A submission that was taken over since has another attempt. */
export type HeldSubmission = { id: string; attempt: number };

/**
 * Records, before the job is sent, that the engine may have it from now on. Records nothing if the user stopped the
 * render, or if another worker took the submission over.
 */
export async function recordBegun(
  database: Database,
  { id, attempt }: HeldSubmission,
): Promise<'begun' | 'stopped' | 'taken_over'> {
  const [row] = await database.rows<{ is_begun: boolean; is_stopped: boolean }>(
    `with held as (
       select s.id, r.stop_requested_at is not null as is_stopped from submissions s left join renders r on r.id = s.render_id
       where s.id = $1 and s.attempt = $2 and s.state in ('intended', 'lost')
     ), begun as (
       update submissions s set begun_at = coalesce(s.begun_at, clock()) from held
       where s.id = held.id and s.attempt = $2 and not held.is_stopped
       returning s.id
     )
     select is_stopped, exists (select from begun) as is_begun from held`,
    [id, attempt],
    'record_submission_begun',
  );
  if (row?.is_begun) return 'begun';
  return row?.is_stopped ? 'stopped' : 'taken_over';
}

/** How a worker learned the engine's job: from the answer to its own request, or by a search. */
export type SentJob = { handle: Handle; by: 'answer' | 'search' };

/**
 * Records that the engine has the job. `held`: nothing is recorded, because another submission has the same job. An
 * engine that restarts its numbering may answer with the name of an ended submission's job: the name belongs to this
 * submission from now on.
 */
export async function recordSent(
  database: Database,
  { id, attempt, backend }: HeldSubmission & { backend: string },
  { handle, by }: SentJob,
): Promise<'sent' | 'held' | 'taken_over'> {
  const job = engineJobOf(handle);
  if (by === 'answer' && job !== null)
    await database.execute(
      `update submissions set engine_job = null
       where engine_job = $1 and backend = $2 and id <> $3 and state not in ('intended', 'sent', 'lost')`,
      [job, backend, id],
      'give_up_engine_job',
    );
  try {
    const count = await database.execute(
      `update submissions set state = 'sent', handle = $3, engine_job = $4, sent_at = coalesce(sent_at, clock()),
         lost_at = null
       where id = $1 and attempt = $2 and state in ('intended', 'lost')`,
      [id, attempt, JSON.stringify(handle), job],
      'record_submission_sent',
    );
    return count === 1 ? 'sent' : 'taken_over';
  } catch (error) {
    if (sqlState(error) === uniqueViolation) return 'held';
    throw error;
  }
}

/**
 * Returns whether a job that was found belongs to another submission, of any backend: two backends may be one provider.
 */
export async function isHeldByAnother(
  database: Database,
  { id }: Pick<HeldSubmission, 'id'>,
  handle: Handle,
): Promise<boolean> {
  const holders = await database.rows(
    'select from submissions where engine_job = $1 and id <> $2 limit 1',
    [engineJobOf(handle), id],
    'find_engine_job_holder',
  );
  return holders.length > 0;
}

/** Returns the engine's name of a job; `null` if its handle has none, because the engine uses the submission's id. */
function engineJobOf(handle: Handle): string | null {
  if (typeof handle === 'string') return handle;
  return isObject(handle) && typeof handle['id'] === 'string' ? handle['id'] : null;
}

/**
 * Records that it is unknown whether the engine has the job. Returns for how many seconds this has been unknown;
 * `undefined` if this worker no longer holds the submission.
 */
export async function recordLost(
  database: Database,
  { id, attempt }: HeldSubmission,
): Promise<number | undefined> {
  const [row] = await database.rows<{ seconds: number }>(
    `update submissions set state = 'lost', lost_at = coalesce(lost_at, clock())
     where id = $1 and attempt = $2 and state in ('intended', 'lost')
     returning extract(epoch from clock() - lost_at)::float8 as seconds`,
    [id, attempt],
    'record_submission_lost',
  );
  return row?.seconds;
}

/** Locks an account. Everything that ends a render takes this lock first. */
export async function lockAccount(transaction: Transaction, account: string): Promise<void> {
  await transaction.execute('select from accounts where id = $1 for update', [account]);
}

export type EndedSubmission = HeldSubmission & {
  state: 'done' | 'failed' | 'canceled';
  blame: 'backend' | 'pair' | 'render' | null;
  /** `reason` is for operators. */
  error: { code: string; message: string; reason?: string } | null;
  made: MadeAsset[];
  /** How long it ran; `null` unless it is `done`. */
  seconds: number | null;
  /** The engine never had the job, though a request may have been made. */
  isUnsent: boolean;
};

/** Ends a submission that this worker still holds. Returns false if it does not. */
export async function endSubmissionRow(transaction: Transaction, end: EndedSubmission): Promise<boolean> {
  const count = await transaction.execute(
    `update submissions set state = $3, blame = $4, error = $5, made = $6, run_seconds = $7, ended_at = clock(),
       sent_at = case when $8 then null else sent_at end
     where id = $1 and attempt = $2 and state in ('intended', 'sent', 'lost')`,
    [
      end.id,
      end.attempt,
      end.state,
      end.blame,
      end.error && JSON.stringify(end.error),
      end.made.length > 0 ? JSON.stringify(end.made) : null,
      end.seconds,
      end.isUnsent,
    ],
    'end_submission',
  );
  return count === 1;
}

export type RenderProgress = {
  outputs_done: number;
  expected_outputs: number;
  excused: number;
  /** Jobs that failed, without those that a backend refused to take. */
  failed: number;
  /** Jobs that a backend did not take because of its own request limit or fault. */
  refused: number;
  is_stopped: boolean;
  /** A stopped sample keeps nothing of what it made. */
  is_sample: boolean;
};

/**
 * Locks a render that is still at this attempt and returns its progress; `undefined` if it has ended or was taken over.
 */
export async function lockProgress(
  transaction: Transaction,
  render: string,
  attempt: number,
): Promise<RenderProgress | undefined> {
  const [row] = await transaction.rows<RenderProgress>(
    `select outputs_done, expected_outputs, excused, stop_requested_at is not null as is_stopped,
       sample is not null as is_sample, tries.failed, tries.refused
     from renders r, lateral (
       select count(*) filter (where not s.is_refused)::integer as failed,
         count(*) filter (where s.is_refused)::integer as refused
       from (select blame is not distinct from 'backend' and sent_at is null and lost_at is null as is_refused
         from submissions where render_id = r.id and state = 'failed') s
     ) tries
     where id = $1 and attempt = $2 and status = 'running' for update of r`,
    [render, attempt],
    'lock_progress',
  );
  return row;
}

/** Returns the ids of this worker's submissions whose renders were stopped. The worker must cancel them. */
export async function findStopped(database: Database, worker: string): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    `select s.id from renders r join submissions s on s.render_id = r.id
     where r.stop_requested_at is not null and r.status in ('queued', 'running')
       and s.owner = $1 and s.state in ('intended', 'sent', 'lost')`,
    [worker],
    'find_stopped',
  );
  return rows.map(({ id }) => id);
}

export async function countMade(transaction: Transaction, render: string, made: number): Promise<void> {
  await transaction.execute('update renders set outputs_done = outputs_done + $2 where id = $1', [
    render,
    made,
  ]);
}

/** Returns whether this try has ended its submission: then rows may name the files that it stored. */
export async function hasEnded(database: Database, { id, attempt }: HeldSubmission): Promise<boolean> {
  const rows = await database.rows(
    `select from submissions where id = $1 and attempt = $2 and state in ('done', 'failed')`,
    [id, attempt],
  );
  return rows.length > 0;
}

/** Returns what all jobs of a render have made; nothing for a stopped sample. */
export async function findMade(transaction: Transaction, render: string): Promise<MadeAsset[]> {
  const rows = await transaction.rows<{ made: MadeAsset[] }>(
    `select s.made from submissions s join renders r on r.id = s.render_id
     where s.render_id = $1 and s.made is not null and (r.sample is null or r.stop_requested_at is null)
     order by s.first_output`,
    [render],
  );
  return rows.flatMap(({ made }) => made);
}

/** Lets a render wait for a backend again, now or after `afterSeconds`. An excused try does not count. */
export async function waitAgain(
  transaction: Transaction,
  { render, afterSeconds, excused }: { render: string; afterSeconds: number; excused: boolean },
): Promise<void> {
  await transaction.execute(
    `update renders set status = 'queued', excused = excused + $3::integer,
       not_before = case when $2 > 0 then clock() + $2 * interval '1 second' else not_before end
     where id = $1`,
    [render, afterSeconds, excused ? 1 : 0],
  );
}

/** Finds renders that have waited longer than these seconds while no backend could have made them. */
export async function findStranded(
  database: Database,
  { image, video }: { image: number; video: number },
  atMost: number,
): Promise<RenderAttempt[]> {
  return database.rows<RenderAttempt>(
    'select id, account_id, attempt, expected_outputs from stranded_renders($1, $2, $3)',
    [image, video, atMost],
    'find_stranded_renders',
  );
}

/** A render that waits as a job of the queue that the release before had. */
export type OldRender = {
  id: string;
  account_id: string;
  request: RenderRequest | null;
  model_version: number | null;
};

/**
 * Finds renders of the release before that no worker runs. A dead worker's render is among them once the queue notices.
 */
export async function findOldRenders(database: Database, atMost: number): Promise<OldRender[]> {
  return database.rows<OldRender>(
    `select r.id, r.account_id, r.request, r.model_version from renders r
     where r.status in ('queued', 'running') and r.tag is null
       and not exists (select from pgboss.job j where j.id = r.job_id and j.state = 'active')
     order by r.accepted_at limit $1`,
    [atMost],
    'find_old_renders',
  );
}

/**
 * Takes a render out of that queue and lets it wait for a backend. Returns false if a worker was quicker. The caller
 * must hold the account's lock.
 */
export async function adoptRender(
  transaction: Transaction,
  render: string,
  version: number,
  { shape, seed, expected_seconds: seconds }: Waiting,
): Promise<boolean> {
  // The statement sees a job that a worker takes at this moment, and does not delete it.
  const adopted = await transaction.execute(
    `with job as (
       delete from pgboss.job j using renders r where r.id = $1 and j.id = r.job_id and j.state <> 'active'
       returning j.start_after
     )
     update renders r set status = 'queued', job_id = null, model_version = $2, shape = $3, seed = $4,
       tag = fair_start(r.account_id, $5), not_before = (select start_after from job)
     where r.id = $1 and r.tag is null and r.status in ('queued', 'running')
       and (exists (select from job) or not exists (select from pgboss.job j where j.id = r.job_id))`,
    [render, version, JSON.stringify(shape), seed, seconds],
    'adopt_render',
  );
  if (adopted === 1)
    await transaction.execute(
      `delete from pgboss.job where name = 'renders-lost' and data->>'render' = $1 and state <> 'active'`,
      [render],
    );
  return adopted === 1;
}
