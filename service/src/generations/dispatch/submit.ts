import { setTimeout as sleep } from 'node:timers/promises';
import type { RenderRequest, SubmitAnswer } from '@renderkit/contract/studio/schemas/render.ts';
import { type Database, isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import type { StudioClient } from '../../studio-client/studio-client.ts';
import { StudioFailure } from '../../studio-client/studio-failure.ts';
import type { CrashPoint } from '../crash-point.ts';
import { runningMove } from '../settle/compose-transition.ts';
import { type GenerationError, refusalError, submitFailed } from '../settle/failure.ts';
import type { Settlement } from '../settle/settlement.ts';
import { type Claim, type Release, releaseGenerations, saveLimits, saveQuote } from './store.ts';

export type SubmitOptions = {
  database: Database;
  studioClient: Pick<StudioClient, 'call'>;
  settlement: Settlement;
  log: Logger;
  /** A claim went back to the queue; its account may be tried again after so many milliseconds. */
  onReleased: (accountId: string, waitMs: number) => void;
  crashPoint?: CrashPoint | undefined;
  /** First pause before a submit whose outcome is unknown is sent again; it doubles up to 30 s. Default 1,000 ms. */
  retryMs?: number | undefined;
};

/** What a submit came to. `unknown`: the studio may have it, and only the same token can tell. */
type Result =
  | { kind: 'done' }
  | { kind: 'release'; retryAfterMs?: number | undefined }
  | { kind: 'unknown'; cause: unknown };

const releasesPerStatement = 64;
const statementsInFlight = 1;
const longestRetryMs = 30_000;

/**
 * Makes the verb that sends a claim to the studio and records the answer. It ends when the claim is the process's no
 * more: moved on, back in the queue, or, when stopping, left to its lease.
 */
export function createSubmit(options: SubmitOptions) {
  const release = createBatcher<Release, number | undefined>({
    run: async (releases) => {
      const released = await releaseGenerations(options.database, releases);
      const waits = new Map(released.map((row) => [row.id, row.wait_ms ?? 0]));
      return releases.map(({ id }) => waits.get(id));
    },
    maxSize: releasesPerStatement,
    maxInFlight: statementsInFlight,
    isHopeless: isDatabaseUnavailable,
  });

  return async (claim: Claim, stopping: AbortSignal): Promise<void> => {
    await options.crashPoint?.('submit-claimed');
    let current = claim;
    for (let tries = 0; !stopping.aborted; tries++) {
      const result = await attempt(options, current).catch(unknown);
      if (result.kind === 'done') return;
      if (result.kind === 'release') {
        const waitMs = await release({
          id: claim.id,
          accountId: claim.accountId,
          attempt: claim.attempt,
          unsent: !current.sentBefore,
          retryAfterMs: result.retryAfterMs,
        });
        if (waitMs !== undefined) options.onReleased(claim.accountId, waitMs);
        return;
      }
      options.log.warn(
        { generationId: claim.id, tries, err: result.cause },
        'the outcome of a submit is not known; it is sent again',
      );
      current = { ...current, sentBefore: true };
      const pauseMs = Math.min(longestRetryMs, (options.retryMs ?? 1_000) * 2 ** Math.min(tries, 10));
      await sleep(pauseMs * (0.75 + Math.random() / 2), undefined, { signal: stopping }).catch(
        () => undefined,
      );
    }
  };
}

function unknown(cause: unknown): Result {
  return { kind: 'unknown', cause };
}

async function attempt(options: SubmitOptions, claim: Claim, requoted = false): Promise<Result> {
  let answer: SubmitAnswer;
  try {
    const sending = options.studioClient.call('submitRender', {
      accountId: claim.accountId,
      params: { token: claim.id },
      body: { quote: claim.quote, request: JSON.parse(claim.renderRequest) as RenderRequest },
    });
    if (options.crashPoint !== undefined) await crashOnceSent(options.crashPoint, sending);
    answer = await sending;
  } catch (error) {
    return resultOfFailure(options, claim, error);
  }
  await options.crashPoint?.('submit-answered');
  switch (answer.outcome) {
    case 'accepted':
      await recordAccepted(options, claim, answer);
      return { kind: 'done' };
    case 'busy':
      await saveLimits(options.database, claim.accountId, answer.limits);
      return {
        kind: 'release',
        ...(answer.retry_after > 0 && { retryAfterMs: answer.retry_after * 1000 }),
      };
    case 'barred':
      await options.settlement.bar([{ id: claim.id, accountId: claim.accountId }]);
      return { kind: 'done' };
    case 'refused': {
      const { code } = answer.refusal;
      if (code === 'concurrency') return { kind: 'release' };
      if (code !== 'quote_invalid') return fail(options, claim, refusalError(code));
      return requoted ? fail(options, claim, submitFailed) : requote(options, claim);
    }
  }
}

/** The crash point between the request and its answer: a few turns later its bytes are with the studio. */
async function crashOnceSent(crashPoint: CrashPoint, sending: Promise<unknown>): Promise<void> {
  sending.catch(() => undefined);
  await sleep(2);
  await crashPoint('submit-sent');
}

async function recordAccepted(
  { settlement, log }: SubmitOptions,
  claim: Claim,
  { render }: Extract<SubmitAnswer, { outcome: 'accepted' }>,
): Promise<void> {
  if (render.cost_millicredits !== claim.costMillicredits)
    log.error(
      { generationId: claim.id, charged: render.cost_millicredits, cost: claim.costMillicredits },
      'the studio charged another cost than it quoted',
    );
  const generation = { id: claim.id, account_id: claim.accountId };
  const moved = await settlement.move({ ...runningMove(generation, render), attempt: claim.attempt });
  if (moved === undefined) log.debug({ generationId: claim.id }, 'a submit was recorded by another');
  // An answer to a token that was sent before may tell of its end.
  if (render.status === 'succeeded' || render.status === 'failed')
    await settlement.apply([{ accountId: claim.accountId, render }]);
}

async function resultOfFailure(options: SubmitOptions, claim: Claim, error: unknown): Promise<Result> {
  if (!(error instanceof StudioFailure)) return unknown(error);
  const retryAfterMs = error.retryAfterSeconds === undefined ? undefined : error.retryAfterSeconds * 1000;
  const turnedAway =
    error.kind === 'rate_limited' ||
    error.kind === 'connection_expired' ||
    error.studioCode === 'maintenance' ||
    error.studioCode === 'overloaded';
  if (!error.maybeSent || turnedAway) return { kind: 'release', retryAfterMs };
  if (error.kind === 'refused' && error.studioCode !== 'internal_error') {
    options.log.error(
      { generationId: claim.id, err: error },
      'the studio refused a submit that it had quoted',
    );
    return fail(options, claim, submitFailed);
  }
  return unknown(error);
}

async function fail(options: SubmitOptions, claim: Claim, error: GenerationError): Promise<Result> {
  await options.settlement.fail({
    id: claim.id,
    accountId: claim.accountId,
    from: 'queued',
    attempt: claim.attempt,
    error,
  });
  return { kind: 'done' };
}

/** The quote is past its time: asks for another one, once, and never pays more than was promised. */
async function requote(options: SubmitOptions, claim: Claim): Promise<Result> {
  const answer = await options.studioClient.call('createQuotes', {
    accountId: claim.accountId,
    body: {
      quotes: [{ request: JSON.parse(claim.renderRequest) as RenderRequest, moderate: true }],
    },
  });
  const result = answer.results[0];
  const code = result?.refusal?.code;
  if (code === 'concurrency') return { kind: 'release' };
  if (code !== undefined && code !== 'quote_invalid') return fail(options, claim, refusalError(code));
  if (result?.quote == null || result.cost_millicredits > claim.costMillicredits)
    return fail(options, claim, submitFailed);
  await saveQuote(options.database, claim.id, result.quote);
  return attempt(options, { ...claim, quote: result.quote }, true);
}
