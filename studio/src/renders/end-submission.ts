import type { FailureStage } from '@renderkit/contract/studio/progress.ts';
import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import { beginSubmission, type Claim, hasOtherBackend, settleCost } from '../backends/claim-queries.ts';
import { recordSuccess } from '../backends/rest-queries.ts';
import { folderOf } from '@renderkit/blob-storage/blob-storage.ts';
import { finishRender, type RenderAttempt, type MadeAsset } from './store.ts';
import {
  countMade,
  endSubmissionRow,
  findMade,
  lockAccount,
  lockProgress,
  type RenderProgress,
  waitAgain,
} from './submission-store.ts';

/** `error` of a failed render: a code of the closed list, and a sentence that names no node, host or file. */
export type RenderError = { code: string; message: string; stage?: FailureStage };

export type SubmissionEnd =
  /**
   * `assets` may be fewer than the job's outputs if no more came. `seconds`: how long the job took. `cost` as the
   * provider reports it, `null` if it does not.
   */
  | { type: 'made'; assets: MadeAsset[]; seconds: number; cost: number | null }
  | FailedEnd
  /**
   * The job is not at fault: the render waits for a backend again, or ends if it was stopped. `excused`: space was
   * lacking, so the render waits a while. `unsent`: the backend never had the job.
   */
  | { type: 'given_back'; excused: boolean; unsent?: boolean };

/**
 * `failedEnd` in `submission-failure.ts` decides these fields for a job of a driver, and `draw-submission.ts` for an
 * engine of the worker.
 */
export type FailedEnd = {
  type: 'failed';
  /** Who is to blame. `null` where no engine is: a stop, a lack of space, an error of ours. */
  blame: 'backend' | 'pair' | 'render' | null;
  error: RenderError;
  /** For operators: it may name nodes, hosts and files. */
  reason: string | null;
  /** Another try would not help. */
  final: boolean;
  /** What was made before the failure. It counts if no further try follows. */
  assets: MadeAsset[];
  /** The job may have been bought: its reserved money stays reserved. */
  unknown: boolean;
};

/** How many jobs of one render may fail. */
export const maxFailures = 3;
/** How often backends may refuse to take a job of one render. Each time the backend rests, for longer and longer. */
const maxRefusals = 20;
const initialExcusedSeconds = 5;
const maxExcusedSeconds = 60;
/** Three days of a full disk. */
const maxExcused = 3 * 24 * 60;

export type Ended =
  /** Another worker has taken the render over, or the render has ended. */
  | { next: 'fenced' }
  | { next: 'finished'; render: RenderAttempt; kept: ReadonlySet<string> }
  | { next: 'waiting' }
  /** The next job of the render, on the same backend. Its row is committed. */
  | { next: 'job'; claim: Claim };

type EndOptions = {
  worker: string;
  leaseMs: number;
  maxPerJob: number;
  /** The engine certainly never had the job: no money was spent on it. */
  isUnsent?: boolean;
};

/**
 * Ends a submission and decides in the same transaction what happens to its render: the next job, the end, or waiting
 * for a backend. Only a worker that still holds the render's attempt can change the render.
 */
export async function endSubmission(
  database: Database,
  claim: Claim,
  end: SubmissionEnd,
  { worker, leaseMs, maxPerJob, isUnsent = false }: EndOptions,
): Promise<Ended> {
  return database.transaction(async (transaction) => {
    await lockAccount(transaction, claim.account_id);
    const before = await lockProgress(transaction, claim.render_id, claim.attempt);
    if (before === undefined) {
      // If the render has ended, no other worker will free the slot.
      const row = rowOf(claim, { type: 'given_back', excused: false }, []);
      if (await endSubmissionRow(transaction, row)) await settle(transaction, claim, end, isUnsent);
      return { next: 'fenced' };
    }
    const { next, end: settled } = decideNext(end, claim.outputs, before, isUnsent);
    const made = settled.type === 'given_back' || next === 'wait' ? [] : settled.assets;
    if (!(await endSubmissionRow(transaction, { ...rowOf(claim, settled, made), isUnsent })))
      return { next: 'fenced' };
    await settle(transaction, claim, settled, isUnsent);
    if (settled.type === 'made') await recordSuccess(transaction, claim.id, settled.seconds);
    await countMade(transaction, claim.render_id, made.length);
    const isOver =
      settled.type === 'failed' && settled.blame === 'pair' && !(await hasOtherBackend(transaction, claim));
    if (next === 'finish' || isOver) return finish(transaction, claim, settled, before);
    const first = before.outputs_done + made.length;
    const asked = { render: claim.render_id, backend: claim.backend, route: claim.route, worker, leaseMs };
    const id = next === 'job' ? await beginSubmission(transaction, asked) : undefined;
    if (id !== undefined) {
      const outputs = Math.min(maxPerJob, before.expected_outputs - first);
      const fresh = {
        state: 'intended',
        handle: null,
        begun_at: null,
        sent_at: null,
        lost_at: null,
      } as const;
      return { next: 'job', claim: { ...claim, ...fresh, id, first_output: first, outputs } };
    }
    const excused = settled.type === 'given_back' && settled.excused;
    const afterSeconds = excused
      ? Math.min(initialExcusedSeconds * 2 ** before.excused, maxExcusedSeconds)
      : 0;
    await waitAgain(transaction, { render: claim.render_id, afterSeconds, excused });
    return { next: 'waiting' };
  });
}

/**
 * Settles the provider's cost: what the provider reports, else what was reserved. A job that the provider never had
 * costs nothing.
 */
async function settle(
  transaction: Transaction,
  { id }: Claim,
  end: SubmissionEnd,
  isUnsent: boolean,
): Promise<void> {
  if (end.type === 'made') await settleCost(transaction, id, end.cost);
  else if (isUnsent) await settleCost(transaction, id, 0);
  else if (end.type === 'given_back' || !end.unknown) await settleCost(transaction, id, null);
}

/** The abort reason for a render that its user stopped. */
export class RenderStopped extends Error {
  override readonly name = 'RenderStopped';
}

const stoppedError: RenderError = { code: 'stopped', message: 'It was stopped before anything was made.' };

/** Returns the end of a job whose render was stopped. What was made by then counts. */
export function stoppedEnd(assets: MadeAsset[], unknown: boolean): FailedEnd {
  return { type: 'failed', blame: null, error: stoppedError, reason: null, final: true, assets, unknown };
}

/** Error codes that a cancel never causes. */
const causedByRequest: readonly string[] = ['moderation_blocked', 'invalid_request'];

/** Turns the end of a job of a stopped render into the end of the render. A sample keeps nothing then. */
function endStopped(whole: SubmissionEnd, { is_sample: isSample }: RenderProgress): SubmissionEnd {
  const end = isSample && whole.type !== 'given_back' ? { ...whole, assets: [] } : whole;
  if (end.type === 'made') return end;
  if (end.type === 'given_back') return stoppedEnd([], end.unsent !== true);
  return causedByRequest.includes(end.error.code) ? end : stoppedEnd(end.assets, end.unknown);
}

/**
 * Decides what follows a job of `outputs` outputs; `before` is the render's progress before it ended. A job that a
 * backend did not take is counted apart: else a backend with a request limit would fail every render that waits for it.
 */
export function decideNext(
  end: SubmissionEnd,
  outputs: number,
  before: RenderProgress,
  isUnsent: boolean,
): { next: 'finish' | 'job' | 'wait'; end: SubmissionEnd } {
  if (before.is_stopped) return { next: 'finish', end: endStopped(end, before) };
  if (end.type === 'made') {
    const isLast = before.outputs_done + end.assets.length >= before.expected_outputs;
    return { next: isLast || end.assets.length < outputs ? 'finish' : 'job', end };
  }
  if (end.type === 'failed') {
    const isRefused = isUnsent && end.blame === 'backend';
    const isLast = isRefused ? before.refused + 1 >= maxRefusals : before.failed + 1 >= maxFailures;
    return { next: end.final || isLast ? 'finish' : 'wait', end };
  }
  if (!end.excused || before.excused < maxExcused) return { next: 'wait', end };
  const error = {
    code: 'render_failed',
    message: 'There was no space to store what was made.',
    stage: 'storing',
  } as const;
  const failed = { type: 'failed', blame: null, final: true, unknown: false, error, reason: null } as const;
  return { next: 'finish', end: { ...failed, assets: [] } };
}

function rowOf(
  { id, attempt }: Claim,
  end: SubmissionEnd,
  made: MadeAsset[],
): Parameters<typeof endSubmissionRow>[1] {
  const row = { id, attempt, made, blame: null, error: null, seconds: null, isUnsent: false };
  if (end.type === 'made') return { ...row, state: 'done', seconds: end.seconds };
  if (end.type === 'given_back') return { ...row, state: 'canceled' };
  const error = end.reason === null ? end.error : { ...end.error, reason: end.reason };
  return { ...row, state: 'failed', blame: end.blame, error };
}

async function finish(
  transaction: Transaction,
  claim: Claim,
  end: SubmissionEnd,
  { is_stopped: isStopped }: RenderProgress,
): Promise<Ended> {
  const error = end.type === 'failed' ? end.error : isStopped ? stoppedError : null;
  const { render_id: id, attempt, expected_outputs } = claim;
  const finished = await finishWithMade(transaction, { id, attempt, expected_outputs }, error);
  if (finished === undefined) throw new Error(`render ${id} could not be ended under its lock`);
  return { next: 'finished', ...finished };
}

/**
 * Ends a render with what its jobs have made. It succeeds if there is any output, else it fails with this error and its
 * account is refunded. `kept` are the folders of the outputs. `studio/sql/functions/finish_render.sql` starts the
 * refund, and `stop_render.sql` beside it ends a stopped render that waits. Returns `undefined` if the render is at
 * another attempt or has ended.
 */
export async function finishWithMade(
  transaction: Transaction,
  { id, attempt, expected_outputs: expected }: Omit<RenderAttempt, 'account_id'>,
  error: RenderError | null,
): Promise<{ render: RenderAttempt; kept: ReadonlySet<string> } | undefined> {
  const assets = await findMade(transaction, id);
  const render = await finishRender(transaction, {
    render: id,
    attempt,
    status: assets.length > 0 ? 'succeeded' : 'failed',
    error: assets.length > 0 ? partialFailure(assets.length, expected) : error,
    assets,
  });
  return render && { render, kept: new Set(assets.map((asset) => folderOf(asset.storage_key))) };
}

function partialFailure(made: number, expected: number): RenderError | null {
  if (made >= expected) return null;
  return { code: 'partial_failure', message: `${made} of ${expected} outputs were made.` };
}
