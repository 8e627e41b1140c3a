import { problemCodes } from '@renderkit/contract/v1/problem-codes.ts';
import { type ProgressStage, progressStages } from '@renderkit/contract/v1/progress.ts';
import type { Generation, GenerationStatus } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Progress } from '@renderkit/contract/v1/schemas/progress.ts';

/** `error.code` of a generation that succeeded with missing outputs. */
const partialFailure = 'partial_failure';
/** `error.code` of a generation that was stopped while it ran. */
const stopped = 'stopped';

const finalStatuses: readonly GenerationStatus[] = ['succeeded', 'failed', 'canceled'];

/**
 * Returns whether a generation has reached its final status. `service/src/generations/settle/status.ts` decides which
 * statuses are final.
 */
export function isFinal({ status }: Pick<Generation, 'status'>): boolean {
  return finalStatuses.includes(status);
}

const stagesInQueue: readonly ProgressStage[] = ['queued', 'checking', 'submitting'];

/** Returns whether this stage can belong to this status. Stage and status are read at different times. */
export function isOfStatus(stage: ProgressStage, status: GenerationStatus): boolean {
  if (stage === 'done') return finalStatuses.includes(status);
  return status === (stagesInQueue.includes(stage) ? 'queued' : 'running');
}

/**
 * Returns a sentence about the stage of a generation in progress. Without progress, the sentence follows from the
 * status.
 */
export function stageSentence(
  status: GenerationStatus,
  progress: Pick<Progress, 'stage'> | undefined,
): string {
  if (progress !== undefined) return progressStages[progress.stage];
  return status === 'queued' ? progressStages.queued : 'The studio is at it.';
}

const runItAgain =
  'Run it again: should the first try have got through, it is made and paid for once all the same.';

/**
 * Advice that differs in the console from the advice for a program. The messages of the errors are in
 * `service/src/generations/settle/failure-sentences.ts`.
 */
const consoleAdvice: Record<string, string> = {
  [partialFailure]: 'What was made is kept. Run it again for the rest.',
  invalid_request: 'Correct what is said at the fields, and run it again.',
  insufficient_credits:
    'Choose a cheaper model or fewer extras, buy credits in the studio, or wait for the next refill.',
  forbidden:
    'Where the storage is full, see Storage. Models for adults need an account whose age has been verified in the studio.',
  tier_required: 'Choose another model, or a larger plan in the studio.',
  connection_expired: 'Connect the studio again: see Connection.',
  conflict: 'Run it again.',
  unprocessable: 'Change what does not go together, or use another file.',
  rate_limited: 'Wait a moment, then run it again.',
  queue_full: 'Wait until something has finished, then run it again.',
  internal_error: runItAgain,
  connection_failed: runItAgain,
  upstream_error: 'Run it again. If it fails again, try another model or other words.',
  render_timeout: 'Run it again, with less to do or with another model.',
  out_of_memory: 'Choose a smaller size, fewer outputs or another model.',
  engine_unavailable: 'Run it again later, or with another model.',
  outcome_unknown: 'Look into the library before you run it again: it may have been made.',
  render_failed: 'Run it again. If it fails again, try another model or other words.',
  render_lost: 'Run it again.',
  [stopped]: 'Run it again whenever you like.',
  upstream_unavailable: 'The studio is out of reach for now, and nothing was charged. Run it again later.',
};

/** Returns advice for an error of a generation. `undefined` when there is no advice. */
export function whatToDo(code: string): string | undefined {
  if (Object.hasOwn(consoleAdvice, code)) return consoleAdvice[code];
  return Object.hasOwn(problemCodes, code)
    ? problemCodes[code as keyof typeof problemCodes].whatToDo
    : undefined;
}

/** What a stopped generation keeps, and which credits are refunded. Only the studio knows about the refund. */
export const whatStopKeeps =
  'What is made by then is kept. Where nothing is made, the credits come back if no engine had begun or your plan says so.';

/**
 * Returns what happened to the credits of a generation. `undefined` when they are spent or reserved.
 * `studio/sql/functions/refund_failed_or_stopped.sql` refunds credits.
 */
export function refundOf({ status, error }: Pick<Generation, 'status' | 'error'>): string | undefined {
  if (status === 'canceled') return 'not taken';
  if (status !== 'failed') return undefined;
  return error?.code === stopped ? 'given back if no engine had begun or your plan says so' : 'given back';
}

export type TimelineStep = {
  name: string;
  /** `null` when this step has not been reached. */
  at: string | null;
  /** Milliseconds since the step before. */
  took: number | undefined;
};

/** Returns the steps of a generation (accepted, sent, finished) and how long each took. */
export function timelineOf(generation: Generation): TimelineStep[] {
  const { created_at: created, submitted_at: submitted, completed_at: completed, status } = generation;
  const since = (from: string, to: string | null) =>
    to === null ? undefined : Math.max(0, Date.parse(to) - Date.parse(from));
  const steps: TimelineStep[] = [{ name: 'Queued', at: created, took: undefined }];
  if (submitted !== null || !isFinal(generation))
    steps.push({ name: 'Sent to the studio', at: submitted, took: since(created, submitted) });
  const ends: Partial<Record<GenerationStatus, string>> = {
    succeeded: 'Succeeded',
    failed: 'Failed',
    canceled: 'Canceled',
  };
  steps.push({
    name: ends[status] ?? 'Finished',
    at: completed,
    took: since(submitted ?? created, completed),
  });
  return steps;
}
