import type { Generation, Problem } from './objects.generated.ts';

/** Stable name of what went wrong: a code of the API, or one of the client's own. Decide by this. */
export type RenderkitErrorCode =
  | Problem['code']
  /** The generation reached its end without a result; `generation` has it. */
  | 'generation_failed'
  | 'generation_canceled'
  /** The patience of `timeout` is over, the generation goes on; `generationId` names it. */
  | 'still_running'
  /** The caller's `signal` ended the waiting; `cause` is its reason. */
  | 'aborted'
  /** No answer came: no connection, cut off, or too slow. Of a link also what it answered, as `status`. */
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

/** Known to every copy of this package, so that a `catch` works where two versions are installed. */
const brand = Symbol.for('renderkit.error');

class RenderkitFailure extends Error {
  readonly code: RenderkitErrorCode;
  /** HTTP status of the answer; undefined where none came. */
  readonly status: number | undefined;
  /** The fields that are wrong, for `invalid_request` and sometimes `unprocessable`. */
  readonly errors: FieldError[];
  /** Name it to the operator; also the header X-Request-Id. */
  readonly requestId: string | undefined;
  /** Seconds that the server asks to wait. */
  readonly retryAfter: number | undefined;
  /** The same request may succeed later. False where `run` would make another one: its create was accepted, and its key was not the caller's. */
  readonly retryable: boolean;
  /** The key that the create was sent with: sent again with the same key it is charged once. */
  readonly idempotencyKey: string | undefined;
  /** As it ended, with `generation_failed` and `generation_canceled`. */
  readonly generation: Generation | undefined;
  /** Of every error of `run` and `wait` once the create was accepted: it is charged, and `generations.wait` goes on with it. */
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

  /** Whether something caught is an error of this client, of this copy of the package or another. */
  static is(error: unknown): error is RenderkitError {
    return typeof error === 'object' && error !== null && brand in error;
  }
}

type WithCode<Code extends RenderkitErrorCode> = RenderkitFailure & { readonly code: Code };

/**
 * Everything that this client throws. `code` tells them apart, and TypeScript then knows what else is there: a
 * `generation` with `generation_failed`, a `generationId` with `still_running`.
 */
export type RenderkitError =
  | (WithCode<'generation_failed' | 'generation_canceled'> & {
      readonly generation: Generation;
      readonly generationId: string;
    })
  | (WithCode<'still_running'> & { readonly generationId: string })
  | WithCode<Exclude<RenderkitErrorCode, 'generation_failed' | 'generation_canceled' | 'still_running'>>;
export const RenderkitError = RenderkitFailure;

/** Codes for answers that carry no problem document: those of a proxy in between, for example. */
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

const retryableStatuses = new Set([429, 500, 502, 503, 504]);

/** The error that an answer other than 2xx stands for. Reads the body. */
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

/** The same for a link of an output. What has no file any more is `not_found`. */
export async function errorOfLink(response: Response, url: string): Promise<RenderkitFailure> {
  await response.body?.cancel();
  const { status, headers } = response;
  return new RenderkitFailure(
    status === 404 || status === 410 ? 'not_found' : 'connection_failed',
    `${url} answered ${status}; retrieve the generation again.`,
    { status, retryAfter: retryAfterSeconds(headers), retryable: retryableStatuses.has(status) },
  );
}

/** Seconds of a Retry-After header, which may be a date (RFC 9110, section 10.2.3). */
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
