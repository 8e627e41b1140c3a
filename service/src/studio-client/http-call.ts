import { type StudioErrorCode, studioErrors } from '@renderkit/contract/studio/errors.ts';
import { StudioError } from '@renderkit/contract/studio/schemas/error.ts';
import type { Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Dispatcher } from 'undici';
import { StudioFailure } from './studio-failure.ts';

export const connectTimeoutMs = 5_000;
export const maxHeaderBytes = 16 * 1024;
const errorBody = Compile(StudioError);
/** Beyond this a wait is no advice any more. */
const maxRetryAfterSeconds = 24 * 60 * 60;
// A gateway before the studio says with these that the studio itself did not answer.
const gatewayStatuses = new Set([502, 503, 504]);

/** One HTTP request to the studio. */
export type Request = {
  method: Dispatcher.HttpMethod;
  /** Path and query. */
  path: string;
  headers?: Record<string, string>;
  /**
   * A stream is sent as it comes; what it throws is thrown on as it is. Its chunks are given away:
   * their memory is given back when they have left.
   */
  body?: string | AsyncIterable<Uint8Array>;
  /**
   * Wall clock for all of it: connecting, sending, and the last byte of the answer. For a stream it begins anew with
   * each chunk, and waiting for the next one does not count: how slow that may be is its sender's affair.
   */
  timeoutMs: number;
  /** Bytes of the answer's body at most. */
  maxBytes: number;
  /** True where sending it twice does no more than once: a broken connection is tried again, once. */
  repeatable: boolean;
  signal?: AbortSignal;
};

export type Reply = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer };

/** What an error of a connection, or of the parser of answers, says of the studio: its kind and a sentence for the log. */
export function readTransportError(error: Error): ['unavailable' | 'nonsense', string] {
  const codes = codesOf(error);
  return error.name === 'HTTPParserError' ||
    codes.some((code) => code === 'UND_ERR_HEADERS_OVERFLOW' || code.startsWith('HPE_'))
    ? ['nonsense', 'the answer is no HTTP']
    : ['unavailable', `the studio is out of reach (${codes.join(', ') || error.name})`];
}

/** The codes of an error and of what it gathers: one per address tried. */
export function codesOf(error: unknown): string[] {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown[] };
  return [...(typeof code === 'string' ? [code] : []), ...(errors ?? []).flatMap(codesOf)];
}

/** The failure that an answer with a status other than success stands for. */
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
  // For these only the status counts: a proxy before the studio may have written the body.
  if (reply.status === 429) return failure('rate_limited');
  if (gatewayStatuses.has(reply.status)) return failure('unavailable');
  return failure(known === undefined || known === 'internal_error' ? 'nonsense' : 'refused');
}

/** Whole seconds from a Retry-After header (RFC 9110 §10.2.3), given as seconds or as a date. */
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
