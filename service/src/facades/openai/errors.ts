import { problemCodes } from '@renderkit/contract/v1/problem-codes.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { ApiProblem } from '../../problems/api-problem.ts';
import type { Refusal } from '../kept-alive-answer.ts';

/** A refusal in the format of OpenAI's API. */
export type OpenAiError = Refusal & {
  body: { error: { message: string; type: string; param: string | null; code: string | null } };
};

type Shape = { status: number; type: string; code: string };

/** OpenAI's status, type and code for each problem. A problem that is missing keeps its own status and code. */
const shapes: Partial<Record<string, Shape>> = {
  invalid_request: { status: 400, type: 'invalid_request_error', code: 'invalid_value' },
  unauthorized: { status: 401, type: 'invalid_request_error', code: 'invalid_api_key' },
  // OpenAI uses 429, which its clients would send again.
  insufficient_credits: { status: 402, type: 'insufficient_quota', code: 'insufficient_quota' },
  budget_exceeded: { status: 403, type: 'insufficient_quota', code: 'billing_hard_limit_reached' },
  conflict: { status: 400, type: 'invalid_request_error', code: 'conflict' },
  unprocessable: { status: 400, type: 'invalid_request_error', code: 'unprocessable' },
  account_suspended: { status: 403, type: 'invalid_request_error', code: 'account_suspended' },
  email_not_verified: { status: 403, type: 'invalid_request_error', code: 'email_not_verified' },
  geo_blocked: { status: 403, type: 'invalid_request_error', code: 'geo_blocked' },
  moderation_blocked: { status: 400, type: 'image_generation_user_error', code: 'moderation_blocked' },
  rate_limited: { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  queue_full: { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' },
};

/** Returns whether the client may repeat the request. For these statuses its own retry rule is right. */
const retried = (status: number) => status === 429 || status >= 500;

/** Converts a problem into a refusal that OpenAI's clients show. `param` is the first wrong field. */
export function errorOfProblem(problem: ApiProblem): OpenAiError {
  const known = problemCodes[problem.code as keyof typeof problemCodes] as { status: number } | undefined;
  const status = known?.status ?? 500;
  const shape = shapes[problem.code] ?? {
    status,
    type: status >= 500 ? 'server_error' : 'invalid_request_error',
    code: problem.code,
  };
  return {
    status: shape.status,
    headers: {
      ...(problem.retryAfterSeconds === undefined
        ? {}
        : { 'retry-after': String(problem.retryAfterSeconds) }),
      // Without this header, a client repeats even requests with a final error.
      ...(retried(shape.status) ? {} : { 'x-should-retry': 'false' }),
    },
    body: {
      error: {
        message: problem.message,
        type: shape.type,
        param: problem.errors?.[0]?.field ?? null,
        code: shape.code,
      },
    },
  };
}

/** A refusal in the format of this API, thrown before anything was made. */
export class OpenAiRefusal extends Error {
  override name = 'OpenAiRefusal';
  readonly answer: OpenAiError;

  constructor(answer: OpenAiError) {
    super(answer.body.error.message);
    this.answer = answer;
  }
}

export function openAiRefusal(
  status: number,
  code: string,
  message: string,
  param: string | null,
): OpenAiRefusal {
  return new OpenAiRefusal(openAiError(status, code, message, param));
}

/** Makes a refusal that only this API has. */
export function openAiError(
  status: number,
  code: string,
  message: string,
  param: string | null,
  type = 'invalid_request_error',
): OpenAiError {
  return {
    status,
    headers: { 'x-should-retry': 'false' },
    body: { error: { message, type, param, code } },
  };
}

/** Makes the refusal for a generation without outputs: failed or canceled, or unfinished when its time was up. */
export function errorOfGeneration({ id, status, error }: Generation): OpenAiError {
  if (status === 'canceled') return openAiError(400, status, `The generation ${id} was canceled.`, null);
  if (status !== 'failed') {
    const late = `The generation ${id} has not finished in time; it goes on and will be found in the library.`;
    return openAiError(504, 'timeout', late, null, 'server_error');
  }
  if (error?.code === 'moderation_blocked')
    return openAiError(400, error.code, error.message, null, 'image_generation_user_error');
  const message = `${error?.message ?? 'The generation failed.'} (${id})`;
  // A client that stopped it does not want it again: the AI SDK repeats a 500, whatever a header says, and pays again.
  if (error?.code === 'stopped') return openAiError(400, error.code, message, null);
  return openAiError(500, 'generation_failed', message, null, 'server_error');
}
