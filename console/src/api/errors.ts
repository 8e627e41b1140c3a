import type { ConsoleProblemCode } from '@renderkit/contract/console/problem-codes.ts';
import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';

/** A problem document of either API, as far as it can be read. */
type AnyProblem = Partial<Omit<Problem, 'code'> & { code: Problem['code'] | ConsoleProblemCode }>;

/** The service refused the request. The message is the sentence of its problem document. */
export class ProblemError extends Error {
  readonly status: number;
  readonly code: Problem['code'] | ConsoleProblemCode;
  /** `req_…`; undefined where something other than the service answered. */
  readonly requestId: string | undefined;
  readonly errors: NonNullable<Problem['errors']>;
  /** Seconds after which the request may be sent again, if the service said so. */
  readonly retryAfter: number | undefined;

  constructor(problem: AnyProblem & { status: number; detail: string }, retryAfter?: number) {
    super(problem.detail);
    this.name = 'ProblemError';
    this.status = problem.status;
    this.code = problem.code ?? 'internal_error';
    this.requestId = problem.request_id;
    this.errors = problem.errors ?? [];
    this.retryAfter = retryAfter;
  }
}

/** The service did not answer at all. */
export class NoAnswerError extends Error {
  constructor(cause: unknown) {
    super('The service did not answer. Check the connection; the page tries again by itself.', { cause });
    this.name = 'NoAnswerError';
  }
}

/** The error of an answer that is no success. `answer` is its parsed body; undefined where that is no JSON. */
export function problemErrorOf(status: number, answer: unknown, retryAfter?: number): ProblemError {
  const problem = (answer ?? {}) as AnyProblem;
  const detail = problem.detail ?? `What answered was not the service (status ${status}).`;
  return new ProblemError({ ...problem, status, detail }, retryAfter);
}

/** The sentence that a page shows for any error. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The message about one field of a form, if the service named that field. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  return error.errors.find((one) => one.field === field)?.message;
}

/** Whether a request may have been accepted although it failed here: there was no answer, or a server's error. */
export function isUnconfirmed(error: Error): boolean {
  return error instanceof NoAnswerError || (error instanceof ProblemError && error.status >= 500);
}

/** Whether sending the request again may help: nothing answered, or the service says that this passes. */
export function isTransient(error: unknown): boolean {
  if (error instanceof NoAnswerError) return true;
  return error instanceof ProblemError && [429, 502, 503].includes(error.status);
}
