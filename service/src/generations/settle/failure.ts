import type { RefusalCode } from '@renderkit/contract/studio/errors.ts';
import type { Render } from '@renderkit/contract/studio/schemas.ts';
import type { ProblemCode } from '@renderkit/contract/v1/problem-codes.ts';
import { partialFailureCode } from '@renderkit/contract/v1/schemas/generation.ts';
import type { WaitersError } from '../../uploads/outcome-of.ts';

/** `error` of a generation (docs/api.md §2). */
export type GenerationError = { code: ProblemCode | typeof partialFailureCode; message: string };

// Sentences of our own: the studio's texts are for its own log.
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

/** What becomes of a generation whose submit the studio refused for good. */
export function refusalError(code: Exclude<RefusalCode, 'concurrency' | 'quote_invalid'>): GenerationError {
  return { code, message: sentences[code] };
}

/** The studio answered a submit in a way that only a fault of its or ours explains. */
export const submitFailed: GenerationError = {
  code: 'upstream_error',
  message: 'The studio did not take the generation.',
};

/** It waited longer than it may, and the studio will never take it now. */
export const waitedTooLong: GenerationError = {
  code: 'upstream_unavailable',
  message: 'The generation could not be started within a day.',
};

/** It ran longer than its kind may, and the studio knows nothing of it. */
export const lostByStudio: GenerationError = {
  code: 'upstream_unavailable',
  message: 'The studio no longer knows the generation.',
};

/** It waited for an upload that will never be ready. */
export function waitedForUpload(code: WaitersError): GenerationError {
  switch (code) {
    case 'upstream_unavailable':
      return { code, message: 'The checks of an upload that the generation names did not end in time.' };
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

/** The error of a render that the studio gave up. */
export function renderError(error: Render['error']): GenerationError {
  if (error?.code === 'moderation_blocked' || error?.code === 'unprocessable')
    return { code: error.code, message: sentences[error.code] };
  return { code: 'upstream_error', message: renderFailed };
}
