import type { RefusalCode } from '@renderkit/contract/studio/errors.ts';
import { failureStages } from '@renderkit/contract/studio/progress.ts';
import type { Render } from '@renderkit/contract/studio/schemas/render.ts';
import type { ProblemCode } from '@renderkit/contract/v1/problem-codes.ts';
import {
  partialFailureCode,
  type RenderErrorCode,
  renderErrorCodes,
  renderLostCode,
} from '@renderkit/contract/v1/schemas/generation.ts';
import { isoTime } from '../../iso-time.ts';
import { oneLine } from '../../studio-client/one-line.ts';
import type { WaitersError } from '../../uploads/record-outcomes.ts';
import type { UnsettledRow } from './store.ts';
import { maxQueuedMs, maxRunningMs } from './time-limits.ts';

/** `error` of a generation (docs/api.md §2). */
export type GenerationError = {
  code: ProblemCode | RenderErrorCode | typeof partialFailureCode;
  message: string;
};

// The service's own sentences. Of the studio's, only that of `invalid_request` is passed on.
const renderFailed = 'The studio could not finish the generation. Its credits were given back.';
const sentences = {
  insufficient_credits: 'The account had no credits left when the generation was to start.',
  moderation_blocked: 'Moderation refused the prompt or a reference.',
  unprocessable: 'The studio cannot work with this combination of settings or references.',
  tier_required: "The account's plan does not include this model or feature.",
  forbidden: 'The account may not do this.',
  account_suspended: 'The studio account is suspended.',
  email_not_verified: 'The studio account has not verified its e-mail address.',
  geo_blocked: 'The studio does not serve this location.',
} as const satisfies Partial<Record<ProblemCode, string>>;

const noRoom: GenerationError = {
  code: 'forbidden',
  message:
    "The account's storage had no room for what the generation needs. Delete uploads or library items.",
};

/**
 * Returns the error of a generation whose submit the studio refused finally.
 * `service/src/generations/dispatch/submit.ts` decides which refusals are final.
 */
export function refusalError(
  code: Exclude<RefusalCode, 'concurrency' | 'model_paused' | 'quote_invalid'>,
): GenerationError {
  if (code === 'storage_full') return noRoom;
  return { code, message: sentences[code] };
}

/** The studio answered a submit in a way that only a fault of the studio or of the service explains. */
export const submitFailed: GenerationError = {
  code: 'upstream_error',
  message: 'The studio did not take the generation.',
};

/** The generation waited too long, and the studio will never accept it now. */
export const waitedTooLong: GenerationError = {
  code: 'upstream_unavailable',
  message: 'The generation could not be started within a day.',
};

/** The generation ran longer than its kind may, and the studio does not know it. */
const lostByStudio: GenerationError = {
  code: 'upstream_unavailable',
  message: 'The studio no longer knows the generation.',
};

/** The token is tombstoned: the studio will never accept it. */
const notTaken: GenerationError = {
  code: renderLostCode,
  message: 'The studio would not take this render.',
};

/**
 * Returns the error of a generation whose token was tombstoned. Its age decides, because the service itself tombstones
 * tokens that are too old.
 */
export function tombstonedError(row: UnsettledRow): GenerationError {
  const ageMs = (since: string | null) =>
    since === null ? 0 : Date.parse(isoTime(row.at)) - Date.parse(isoTime(since));
  if (row.status === 'queued') return ageMs(row.created_at) >= maxQueuedMs ? waitedTooLong : notTaken;
  return ageMs(row.submitted_at) >= maxRunningMs[row.kind] ? lostByStudio : notTaken;
}

/** Returns the error of a generation that waited for an upload that will never be ready. */
export function waitedForUpload(code: WaitersError): GenerationError {
  switch (code) {
    case 'upstream_unavailable':
      return { code, message: 'The checks of an upload that the generation names did not end in time.' };
    case 'storage_full':
      return noRoom;
    case 'unprocessable':
      return { code, message: 'A reference could not be fetched, or the studio cannot work with it.' };
    default:
      return { code, message: sentences[code] };
  }
}

export const missingOutputs: GenerationError = {
  code: partialFailureCode,
  message: 'Some of the outputs are missing.',
};

const givenBack = 'Its credits were given back.';
const renderSentences: Record<RenderErrorCode, string> = {
  invalid_request: `A value of the request does not suit this model. ${givenBack}`,
  render_timeout: `The generation took longer than it may. ${givenBack}`,
  out_of_memory: `The generation needs more memory than the engines have. ${givenBack}`,
  engine_unavailable: `No engine could take the generation. ${givenBack}`,
  outcome_unknown: `Nobody can tell whether the generation was made, and it is not made twice. ${givenBack}`,
  render_failed: `The engine could not finish the generation. ${givenBack}`,
  [renderLostCode]: `The generation was lost several times and given up. ${givenBack}`,
  stopped: 'The generation was stopped before anything was made.',
};

const maxWordsCharacters = 300;

/**
 * Returns the error of a failed render. Its message contains how far the render was, in the words of `progress.stage`.
 * The studio decides the code: `failedEnd` in `studio/src/renders/submission-failure.ts`.
 */
export function renderError(error: Render['error']): GenerationError {
  const { code, message } = withoutStage(error);
  const stage = failureStages.find((one) => one === error?.stage);
  if (stage === undefined) return { code, message };
  // Inserts the stage into the first sentence, which states what went wrong.
  return { code, message: message.replace(/\.(?= |$)/, ` (stage: ${stage}).`) };
}

function withoutStage(error: Render['error']): GenerationError {
  const known = renderErrorCodes.find((code) => code === error?.code);
  // Only the studio knows which value was invalid.
  if (known === 'invalid_request')
    return {
      code: known,
      message: `${oneLine(error?.message ?? '', maxWordsCharacters)} ${givenBack}`.trim(),
    };
  if (known !== undefined) return { code: known, message: renderSentences[known] };
  if (error?.code === 'moderation_blocked' || error?.code === 'unprocessable')
    return { code: error.code, message: sentences[error.code] };
  return { code: 'upstream_error', message: renderFailed };
}
