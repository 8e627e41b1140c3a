import type { ProblemCode } from '@renderkit/contract/v1/problem-codes.ts';

/** One invalid field; `field` is a path such as `reference_images[2]` or `options.steps`. */
export type FieldError = { field: string; message: string };

export type ApiProblemOptions = {
  /** A sentence for the client's developer. With `errors` and no detail, the fields' messages joined. */
  detail?: string;
  errors?: FieldError[];
  /** Whole seconds, at least 1: sent as Retry-After. */
  retryAfterSeconds?: number;
  cause?: unknown;
};

/** A refusal of the API (RFC 9457; specification §7). Status, title and retryability come from the contract's table. */
export class ApiProblem extends Error {
  override name = 'ApiProblem';
  readonly code: ProblemCode;
  readonly errors: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ProblemCode, options: ApiProblemOptions) {
    super(options.detail ?? options.errors?.map(({ field, message }) => `${field}: ${message}`).join('; ') ?? code, {
      cause: options.cause,
    });
    this.code = code;
    this.errors = options.errors;
    this.retryAfterSeconds =
      options.retryAfterSeconds === undefined ? undefined : Math.max(1, Math.ceil(options.retryAfterSeconds));
  }
}
