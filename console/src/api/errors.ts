import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';

/** A refusal of the service. What it says is the problem document's sentence. */
export class ProblemError extends Error {
  readonly status: number;
  readonly code: Problem['code'];
  /** `req_…`; undefined where what answered was not the service. */
  readonly requestId: string | undefined;
  readonly errors: NonNullable<Problem['errors']>;
  /** Seconds after which it may be tried again, if the service said so. */
  readonly retryAfter: number | undefined;

  constructor(problem: Partial<Problem> & { status: number; detail: string }, retryAfter?: number) {
    super(problem.detail);
    this.name = 'ProblemError';
    this.status = problem.status;
    this.code = problem.code ?? 'internal_error';
    this.requestId = problem.request_id;
    this.errors = problem.errors ?? [];
    this.retryAfter = retryAfter;
  }
}

/** No answer came at all. */
export class NoAnswerError extends Error {
  constructor(cause: unknown) {
    super('The service did not answer. Check the connection; the page tries again by itself.', { cause });
    this.name = 'NoAnswerError';
  }
}

/** What to tell a person of any error. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The message for one field of a form, if the refusal names it. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  return error.errors.find((one) => one.field === field)?.message;
}
