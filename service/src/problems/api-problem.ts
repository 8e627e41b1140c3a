import { maxProblemErrors } from '@renderkit/contract/v1/limits.ts';
import type { ConsoleProblemCode } from '@renderkit/contract/console/problem-codes.ts';
import type { ProblemCode } from '@renderkit/contract/v1/problem-codes.ts';

/** One invalid field; `field` is a path such as `reference_images[2]` or `options.steps`. */
export type FieldError = {
  field: string;
  message: string;
  /** Never sent. Set when the request has no field of this name; `names` are the fields that it has. */
  unknown?: { name: string; names: readonly string[] };
};

export type ApiProblemOptions = {
  /** A sentence for the client's developer. The default is the messages of `errors`, joined. */
  detail?: string;
  errors?: FieldError[];
  /** Whole seconds, at least 1: sent as Retry-After. */
  retryAfterSeconds?: number;
  /** The studio itself refused the request, so nothing was begun, whatever the status is. */
  refusedByStudio?: boolean;
  cause?: unknown;
};

const maxFieldCharacters = 200;

/**
 * A refusal of the API (RFC 9457; docs/api.md §7). Status, title and retryability come from the contract's tables. Only
 * the console's handlers throw the console's own codes. The table of codes is `contract/v1/problem-codes.ts`;
 * `present-problem.ts` reads it.
 */
export class ApiProblem extends Error {
  override name = 'ApiProblem';
  readonly code: ProblemCode | ConsoleProblemCode;
  readonly errors: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly refusedByStudio: boolean;

  constructor(code: ProblemCode | ConsoleProblemCode, options: ApiProblemOptions) {
    const errors = options.errors && oneForEachField(options.errors);
    super(options.detail ?? errors?.map(({ field, message }) => `${field}: ${message}`).join('; ') ?? code, {
      cause: options.cause,
    });
    this.code = code;
    this.errors = errors;
    this.refusedByStudio = options.refusedByStudio ?? false;
    this.retryAfterSeconds =
      options.retryAfterSeconds === undefined ? undefined : Math.max(1, Math.ceil(options.retryAfterSeconds));
  }
}

/** Makes a refusal of one field. */
export function invalidField(field: string, message: string): ApiProblem {
  return new ApiProblem('invalid_request', { errors: [{ field, message }] });
}

/** Returns the first error of each field, as it is sent. */
function oneForEachField(errors: readonly FieldError[]): FieldError[] {
  const byField = new Map<string, FieldError>();
  for (const error of errors) {
    if (byField.size === maxProblemErrors) break;
    const one = cut(error);
    if (!byField.has(one.field)) byField.set(one.field, one);
  }
  return [...byField.values()];
}

// A field may be a name that the client invented, so its length is limited.
function cut({ field, message }: FieldError): FieldError {
  return field.length <= maxFieldCharacters
    ? { field, message }
    : { field: `${field.slice(0, maxFieldCharacters).toWellFormed()}…`, message };
}
