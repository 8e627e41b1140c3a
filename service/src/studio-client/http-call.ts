import { type StudioErrorCode, studioErrors } from '@renderkit/contract/studio/errors.ts';
import { StudioError } from '@renderkit/contract/studio/schemas/error.ts';
import type { Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Dispatcher } from 'undici';
import { StudioFailure } from './studio-failure.ts';

export const connectTimeoutMs = 5_000;
export const maxHeaderBytes = 16 * 1024;
const errorBody = Compile(StudioError);
/** A longer Retry-After is cut to this. */
const maxRetryAfterSeconds = 24 * 60 * 60;
// With these statuses a gateway in front of the studio reports that the studio did not answer.
const gatewayStatuses = new Set([502, 503, 504]);

/** One HTTP request to the studio. `exchange.ts` sends it and retries, `send-stream.ts` sends streams. */
export type Request = {
  method: Dispatcher.HttpMethod;
  /** Path and query. */
  path: string;
  headers?: Record<string, string>;
  /**
   * A stream is sent as its chunks arrive; its errors are thrown unchanged. The sender takes over the chunks and frees
   * their memory after sending them.
   */
  body?: string | AsyncIterable<Uint8Array>;
  /**
   * Wall-clock limit for everything: connecting, sending, and the last byte of the answer. For a stream the time starts
   * again with each chunk. Waiting for the stream's next chunk does not count: the sender of the stream limits that.
   */
  timeoutMs: number;
  /** The most bytes of the answer's body. */
  maxBytes: number;
  /** True when sending twice has the effect of once. Then a request on a broken connection is retried, once. */
  repeatable: boolean;
  signal?: AbortSignal;
};

export type Reply = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer };

/** Converts an error of a connection, or of the parser of answers, to a kind of failure and a sentence for the log. */
export function readTransportError(error: Error): ['unavailable' | 'nonsense', string] {
  const codes = codesOf(error);
  return error.name === 'HTTPParserError' ||
    codes.some((code) => code === 'UND_ERR_HEADERS_OVERFLOW' || code.startsWith('HPE_'))
    ? ['nonsense', 'the answer is no HTTP']
    : ['unavailable', `the studio is out of reach (${codes.join(', ') || error.name})`];
}

/** Returns the codes of an error and of the errors that it contains: one per address tried. */
export function codesOf(error: unknown): string[] {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown[] };
  return [...(typeof code === 'string' ? [code] : []), ...(errors ?? []).flatMap(codesOf)];
}

/** Converts an answer without success to a failure. */
export function readRefusal(operation: string, reply: Reply): StudioFailure {
  const body = readErrorBody(reply.body);
  const retryAfterSeconds = retryAfterOf(reply.headers['retry-after']) ?? body?.retry_after;
  const known =
    body !== undefined && isStudioCode(body.code) && studioErrors[body.code].status === reply.status
      ? body.code
      : undefined;
  const failure = (kind: StudioFailure['kind']) =>
    new StudioFailure(kind, `${operation}: ${reply.status} ${known ?? 'without a known code'}`, {
      maybeSent: true,
      ...(known !== undefined && { studioCode: known }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(body?.storage !== undefined && { storage: body.storage }),
      ...(body !== undefined &&
        known !== undefined && { said: { message: body.message, errors: body.errors ?? [] } }),
    });
  // Only the status counts for these: a proxy in front of the studio may have written the body.
  if (reply.status === 429) return failure('rate_limited');
  if (gatewayStatuses.has(reply.status)) return failure('unavailable');
  return failure(known === undefined || known === 'internal_error' ? 'nonsense' : 'refused');
}

/** Reads whole seconds from a Retry-After header (RFC 9110 §10.2.3), given as seconds or as a date. */
function retryAfterOf(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string') return undefined;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  if (Number.isNaN(seconds)) return undefined;
  return Math.min(maxRetryAfterSeconds, Math.max(0, Math.ceil(seconds)));
}

function readErrorBody(bytes: Buffer): Static<typeof StudioError> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return errorBody.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isStudioCode(code: string): code is StudioErrorCode {
  return Object.hasOwn(studioErrors, code);
}
