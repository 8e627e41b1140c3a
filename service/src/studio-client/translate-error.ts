import type { StudioErrorCode } from '@renderkit/contract/studio/errors.ts';
import type { StorageUse } from '@renderkit/contract/studio/storage.ts';
import type { ProblemCode } from '@renderkit/contract/v1/problem-codes.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { StudioFailure, type StudioFailureKind } from './studio-failure.ts';

/** Seconds that a client should wait when the studio itself names no time. */
const defaultRetryAfterSeconds = 5;

type Row = { code: ProblemCode; detail: string; retry?: true };

const unexpected: Row = { code: 'upstream_error', detail: 'The studio answered with an unexpected error.' };

const byKind = {
  unavailable: {
    code: 'upstream_unavailable',
    detail: 'The studio is in maintenance, overloaded or out of reach.',
    retry: true,
  },
  timeout: { code: 'upstream_unavailable', detail: 'The studio did not answer in time.', retry: true },
  nonsense: unexpected,
  rate_limited: {
    code: 'rate_limited',
    detail: 'The studio limits the calls of this account.',
    retry: true,
  },
  connection_expired: {
    code: 'connection_expired',
    detail: 'The connection to the studio has ended: its owner must sign in again.',
  },
  refused: unexpected,
} as const satisfies Record<StudioFailureKind, Row>;

// The service has already validated its requests. So when the studio refuses their form, the service or the studio has
// an error.
const byStudioCode = {
  invalid_request: unexpected,
  invalid_token: unexpected,
  forbidden: { code: 'forbidden', detail: 'The studio does not allow this to the account.' },
  // Only administration uses this code, and passes the studio's message on.
  sign_in_required: unexpected,
  storage_full: { code: 'forbidden', detail: storageFullDetail(undefined) },
  not_found: { code: 'not_found', detail: 'There is no such resource.' },
  conflict: { code: 'conflict', detail: 'The studio refuses this in the present state.' },
  too_large: unexpected,
  rate_limited: byKind.rate_limited,
  internal_error: unexpected,
  maintenance: byKind.unavailable,
  overloaded: byKind.unavailable,
} as const satisfies Record<StudioErrorCode, Row>;

/**
 * Converts a failed call to the studio to a refusal: a code of §7 and our own sentence, never the studio's text. Throws
 * any other error unchanged. Refusals of quotes are in `service/src/quotes/studio-quotes.ts`, of files in
 * `service/src/uploads/file-issues.ts`.
 */
export function translateStudioFailure(failure: unknown): ApiProblem {
  if (failure instanceof ApiProblem) return failure;
  if (!(failure instanceof StudioFailure)) throw failure;
  if (failure.studioCode === 'storage_full') return storageFull(failure.storage, failure);
  const row: Row =
    failure.kind === 'refused' && failure.studioCode !== undefined
      ? byStudioCode[failure.studioCode]
      : byKind[failure.kind];
  return new ApiProblem(row.code, {
    detail: row.detail,
    ...(row.retry === true && { retryAfterSeconds: failure.retryAfterSeconds ?? defaultRetryAfterSeconds }),
    cause: failure,
  });
}

/** Runs a call to the studio for a route. @throws ApiProblem */
export async function translated<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw translateStudioFailure(error);
  }
}

/**
 * Makes a handler for calls that name one object of the studio in their path. When the studio does not have the id, or
 * cannot read it as an id, the client gets `not_found`. `detail` must be the same for both, so that nobody learns whose
 * an id is.
 */
export function asNotFound(detail: string): (error: unknown) => never {
  return (error) => {
    if (
      error instanceof StudioFailure &&
      error.kind === 'refused' &&
      (error.studioCode === 'not_found' || error.studioCode === 'invalid_request')
    )
      throw new ApiProblem('not_found', { detail, cause: error });
    throw error;
  };
}

/** Returns the message for a full storage: how much is stored, the limit, and how to make room. */
export function storageFullDetail(use: StorageUse | undefined): string {
  const stored = use === undefined ? '' : `${storageUseText(use)} `;
  return `The account's storage has no room for this. ${stored}Delete uploads or items of the library to make room.`;
}

/** `1.9 GB of 2 GB of storage are used.` */
export function storageUseText({ used_bytes: used, limit_bytes: limit }: StorageUse): string {
  return `${sizeText(used)} of ${sizeText(limit)} of storage are used.`;
}

/** Returns a `forbidden` for a full storage. */
export function storageFull(use: StorageUse | undefined, cause?: unknown): ApiProblem {
  return new ApiProblem('forbidden', { detail: storageFullDetail(use), cause });
}

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/**
 * Returns bytes in the largest unit in which the number is at least one. 1 MB is 1,048,576 bytes, as for the limits of
 * files.
 */
function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(1).replace(/\.0$/, '')} ${units[unit]}`;
}
