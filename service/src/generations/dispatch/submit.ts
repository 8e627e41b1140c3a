import { setTimeout as sleep } from 'node:timers/promises';
import type { RenderRequest, SubmitAnswer } from '@renderkit/contract/studio/schemas/render.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { StudioClient } from '../../studio-client/studio-client.ts';
import { StudioFailure } from '../../studio-client/studio-failure.ts';
import type { CrashPoint } from '../../test-hooks.ts';
import { toRunning } from '../settle/compose-transition.ts';
import { type GenerationError, refusalError, submitFailed } from '../settle/failure-sentences.ts';
import type { Settlement } from '../settle/settlement.ts';
import { type Claim, saveLimits, saveQuote } from './store.ts';

export type SubmitOptions = {
  database: Database;
  studioClient: Pick<StudioClient, 'call'>;
  settlement: Settlement;
  log: Logger;
  crashPoint?: CrashPoint | undefined;
};

/**
 * The result of a submit. `unknown`: the studio may have received it, and only a submit with the same token can tell.
 */
export type SubmitResult =
  | { kind: 'done' }
  | { kind: 'release'; retryAfterMs?: number | undefined }
  | { kind: 'unknown'; cause: unknown };

/**
 * Sends a claim to the studio once, with the generation's id as the token, and records the answer. The function
 * release_generations decides how long the account pauses after a `release` (sql/functions).
 */
export async function submitOnce(options: SubmitOptions, claim: Claim): Promise<SubmitResult> {
  return attempt(options, claim).catch(unknown);
}

function unknown(cause: unknown): SubmitResult {
  return { kind: 'unknown', cause };
}

async function attempt(options: SubmitOptions, claim: Claim, requoted = false): Promise<SubmitResult> {
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
      await options.settlement.failTombstoned([{ id: claim.id, accountId: claim.accountId }]);
      return { kind: 'done' };
    case 'refused': {
      const { code } = answer.refusal;
      if (code === 'concurrency' || code === 'model_paused') return { kind: 'release' };
      if (code !== 'quote_invalid') return fail(options, claim, refusalError(code));
      return requoted ? fail(options, claim, submitFailed) : requote(options, claim);
    }
  }
}

/** Reaches the crash point between request and answer: after 2 ms the bytes of the request are at the studio. */
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
  const made = await settlement.transition({ ...toRunning(generation, render), attempt: claim.attempt });
  if (made === undefined) log.debug({ generationId: claim.id }, 'a submit was recorded by another');
  // If the token was sent before, the answer may already report the end of the render.
  if (render.status === 'succeeded' || render.status === 'failed')
    await settlement.apply([{ accountId: claim.accountId, render }]);
}

async function resultOfFailure(options: SubmitOptions, claim: Claim, error: unknown): Promise<SubmitResult> {
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

async function fail(options: SubmitOptions, claim: Claim, error: GenerationError): Promise<SubmitResult> {
  await options.settlement.fail({
    id: claim.id,
    accountId: claim.accountId,
    from: 'queued',
    attempt: claim.attempt,
    error,
  });
  return { kind: 'done' };
}

/** Asks once for a new quote, because the old one expired. Never pays more than the accepted cost. */
async function requote(options: SubmitOptions, claim: Claim): Promise<SubmitResult> {
  const answer = await options.studioClient.call('createQuotes', {
    accountId: claim.accountId,
    body: {
      quotes: [{ request: JSON.parse(claim.renderRequest) as RenderRequest, moderate: true }],
    },
  });
  const result = answer.results[0];
  const code = result?.refusal?.code;
  if (code === 'concurrency' || code === 'model_paused') return { kind: 'release' };
  if (code !== undefined && code !== 'quote_invalid') return fail(options, claim, refusalError(code));
  if (result?.quote == null || result.cost_millicredits > claim.costMillicredits)
    return fail(options, claim, submitFailed);
  await saveQuote(options.database, claim.id, result.quote);
  return attempt(options, { ...claim, quote: result.quote }, true);
}
