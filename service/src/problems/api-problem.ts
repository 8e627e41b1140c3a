import { maxProblemErrors } from '@renderkit/contract/v1/limits.ts';
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

const maxFieldCharacters = 200;

/** A refusal of the API (RFC 9457; docs/api.md §7). Status, title and retryability come from the contract's table. */
export class ApiProblem extends Error {
  override name = 'ApiProblem';
  readonly code: ProblemCode;
  readonly errors: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ProblemCode, options: ApiProblemOptions) {
    const errors = options.errors?.slice(0, maxProblemErrors).map(cut);
    super(options.detail ?? errors?.map(({ field, message }) => `${field}: ${message}`).join('; ') ?? code, {
      cause: options.cause,
    });
    this.code = code;
    this.errors = errors;
    this.retryAfterSeconds =
      options.retryAfterSeconds === undefined ? undefined : Math.max(1, Math.ceil(options.retryAfterSeconds));
  }
}

// A field may be a name that the client made up: it is quoted, but not at any length.
function cut({ field, message }: FieldError): FieldError {
  return field.length <= maxFieldCharacters
    ? { field, message }
    : { field: `${field.slice(0, maxFieldCharacters).toWellFormed()}…`, message };
}
