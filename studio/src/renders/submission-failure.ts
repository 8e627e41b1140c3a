import type { FailureStage } from '@renderkit/contract/studio/progress.ts';
import { EngineFailure, type EngineFailureCode } from '@renderkit/engine-kit/driver.ts';
import { EngineError } from '@renderkit/engine-kit/engine.ts';
import type { Route } from '@renderkit/engine-kit/route.ts';
import type { FailedEnd, RenderError } from './end-submission.ts';

/**
 * The studio's own sentences, which name no node, host or file. They stay with the render, and administrators read them
 * if a sample failed (`samples.ts`). Users of the API read the sentences of
 * `service/src/generations/settle/failure-sentences.ts`, which passes on only the studio's sentence of
 * `invalid_request`.
 */
const messages: Record<EngineFailureCode, string> = {
  moderation_blocked: 'The content was refused by the moderation of the service that makes it.',
  invalid_request: 'A value of the request does not suit this model.',
  render_timeout: 'The render took longer than it may.',
  out_of_memory: 'The render needs more memory than there is.',
  engine_unavailable: 'Nothing that can make this render is available.',
  outcome_unknown: 'Nobody can tell whether this render was made, and it is not made twice.',
  render_failed: 'The engine could not finish this render.',
};

/**
 * Turns the error of a job at a backend, and the stage at which it happened, into the job's end. On a route that costs
 * money nothing is bought a second time for a useless result, a late result, or a fault of our own once the provider
 * may have the job (`isBought`). `decideNext` in `end-submission.ts` decides whether the render is tried again.
 */
export function failedEnd(
  error: unknown,
  route: Pick<Route, 'cost' | 'set'>,
  { stage, isBought }: { stage: FailureStage; isBought: boolean },
): FailedEnd {
  const end = endBy(error, route, isBought);
  return { ...end, error: { ...end.error, stage } };
}

function endBy(error: unknown, route: Pick<Route, 'cost' | 'set'>, isBought: boolean): FailedEnd {
  const isPaid = route.cost !== undefined;
  const reason = error instanceof Error ? error.message : null;
  const common = { type: 'failed' as const, assets: [], unknown: false, reason };
  // Such an error already has a fitting code and message.
  if (error instanceof EngineError && error.code !== 'render_failed')
    return { ...common, blame: 'render', final: true, error: { code: error.code, message: error.message } };
  if (!(error instanceof EngineFailure))
    return { ...common, blame: null, final: isBought, error: renderError('render_failed') };
  const unknown = error.code === 'outcome_unknown';
  return {
    ...common,
    blame: error.blame,
    unknown,
    final:
      error.blame === 'render' || unknown || ((error.badResult || error.code === 'render_timeout') && isPaid),
    error:
      error.code === 'invalid_request'
        ? invalidValue(parameterOf(route, error.target))
        : renderError(error.code),
  };
}

/**
 * Returns the field of a request that a target of the route is set from; `undefined` if users do not send its value.
 */
function parameterOf({ set }: Pick<Route, 'set'>, target: string | undefined): string | undefined {
  const [source] = [target === undefined ? undefined : set[target]?.from].flat();
  return source === undefined || source.startsWith('job.') ? undefined : source;
}

function invalidValue(parameter: string | undefined): RenderError {
  const message =
    parameter === undefined
      ? messages.invalid_request
      : `The value of ${parameter} does not suit this model.`;
  return { code: 'invalid_request', message };
}

/** Returns the error of a render, with the studio's own sentence. */
export function renderError(code: EngineFailureCode): RenderError {
  return { code, message: messages[code] };
}
