import type { Generation, Problem } from './objects.generated.ts';

/** Stable code of an error: a code of the API, or a code of this client. Programs should decide by this code. */
export type RenderkitErrorCode =
  | Problem['code']
  /** The generation ended without a result. `generation` is this generation. */
  | 'generation_failed'
  | 'generation_canceled'
  /** The `timeout` has passed and the generation continues. `generationId` is its id. */
  | 'still_running'
  /** The caller's `signal` ended the wait. `cause` is the signal's reason. */
  | 'aborted'
  /**
   * No response arrived: there was no connection, the connection broke, or the response was too slow. Also used when
   * the link of an output returns an error; `status` is then the HTTP status.
   */
  | 'connection_failed'
  /** A webhook whose signature is wrong, too old or missing. */
  | 'invalid_signature';

/** One wrong field of a request. */
export type FieldError = { field: string; message: string };

type Details = {
  status?: number | undefined;
  errors?: FieldError[] | undefined;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  retryable?: boolean | undefined;
  idempotencyKey?: string | undefined;
  generation?: Generation | undefined;
  generationId?: string | undefined;
  cause?: unknown;
};

/** The same symbol in every copy of this package, so `RenderkitError.is` works where two versions are installed. */
const brand = Symbol.for('renderkit.error');

class RenderkitFailure extends Error {
  /** Stable code of the error. */
  readonly code: RenderkitErrorCode;
  /** HTTP status of the response. `undefined` where no response arrived. */
  readonly status: number | undefined;
  /** The wrong fields, for `invalid_request` and sometimes for `unprocessable`. */
  readonly errors: FieldError[];
  /** Id of the request, also in the header X-Request-Id. Give this id to the operator when you report a problem. */
  readonly requestId: string | undefined;
  /** Seconds to wait before the next try, as the server asks. */
  readonly retryAfter: number | undefined;
  /**
   * Whether the same request may succeed later. `false` where calling `run` again would create and charge a second
   * generation: the create was accepted, and the caller did not choose the idempotency key.
   */
  readonly retryable: boolean;
  /** Idempotency key of the create. Sending the same create again with this key is charged only once. */
  readonly idempotencyKey: string | undefined;
  /** The finished generation, with `generation_failed` and `generation_canceled`. */
  readonly generation: Generation | undefined;
  /**
   * Id of the generation, on every error of `run` and `wait` after the create was accepted. The generation is charged;
   * call `generations.wait` with this id to continue to wait.
   */
  readonly generationId: string | undefined;

  constructor(code: RenderkitErrorCode, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = 'RenderkitError';
    this.code = code;
    this.status = details.status;
    this.errors = details.errors ?? [];
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
    this.retryable = details.retryable ?? false;
    this.idempotencyKey = details.idempotencyKey;
    this.generation = details.generation;
    this.generationId = details.generation?.id ?? details.generationId;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Returns whether a caught value is an error of this client, also when another copy of the package threw it. */
  static is(error: unknown): error is RenderkitError {
    return typeof error === 'object' && error !== null && brand in error;
  }
}

type WithCode<Code extends RenderkitErrorCode> = RenderkitFailure & { readonly code: Code };

/**
 * The errors that this client throws. Check `code` to tell them apart; TypeScript then narrows the type: `generation`
 * is there with `generation_failed`, `generationId` with `still_running`.
 */
export type RenderkitError =
  | (WithCode<'generation_failed' | 'generation_canceled'> & {
      readonly generation: Generation;
      readonly generationId: string;
    })
  | (WithCode<'still_running'> & { readonly generationId: string })
  | WithCode<Exclude<RenderkitErrorCode, 'generation_failed' | 'generation_canceled' | 'still_running'>>;
export const RenderkitError = RenderkitFailure;

/**
 * Codes for responses without a problem document, for example from a proxy. `contract/v1/problem-codes.ts` has the
 * status of every code.
 */
const codeOfStatus: Record<number, Problem['code']> = {
  401: 'unauthorized',
  402: 'insufficient_credits',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  422: 'unprocessable',
  429: 'rate_limited',
  502: 'upstream_error',
  503: 'upstream_unavailable',
  504: 'upstream_unavailable',
};

/**
 * Statuses that make an error `retryable`. `passing` in `transport.ts` has the statuses that the client itself retries.
 */
const retryableStatuses = new Set([429, 500, 502, 503, 504]);

/** Returns the error for a response with a status other than 2xx. Reads the body. */
export async function errorOfResponse(
  response: Response,
  idempotencyKey: string | undefined,
): Promise<RenderkitFailure> {
  const text = await response.text().catch(() => '');
  const problem = parseProblem(text);
  const { status } = response;
  return new RenderkitFailure(
    problem?.code ?? codeOfStatus[status] ?? (status >= 500 ? 'internal_error' : 'invalid_request'),
    problem?.detail ?? `The server answered ${status} without saying why.`,
    {
      status,
      errors: problem?.errors,
      requestId: problem?.request_id ?? response.headers.get('x-request-id') ?? undefined,
      retryAfter: retryAfterSeconds(response.headers),
      retryable: retryableStatuses.has(status),
      idempotencyKey,
    },
  );
}

/**
 * Returns the error for a failed download of an output's link. The code is `not_found` when the file no longer exists.
 */
export async function errorOfLink(response: Response, url: string): Promise<RenderkitFailure> {
  await response.body?.cancel();
  const { status, headers } = response;
  return new RenderkitFailure(
    status === 404 || status === 410 ? 'not_found' : 'connection_failed',
    `${url} answered ${status}; retrieve the generation again.`,
    { status, retryAfter: retryAfterSeconds(headers), retryable: retryableStatuses.has(status) },
  );
}

/** Returns the seconds of a Retry-After header, which may also be a date (RFC 9110, section 10.2.3). */
function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

function parseProblem(text: string): Problem | undefined {
  try {
    const value = JSON.parse(text) as Partial<Problem> | null;
    return typeof value?.code === 'string' && typeof value.detail === 'string'
      ? (value as Problem)
      : undefined;
  } catch {
    return undefined;
  }
}
