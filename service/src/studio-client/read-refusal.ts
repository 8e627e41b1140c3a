import { type StudioErrorCode, studioErrors } from '@renderkit/contract/studio/errors.ts';
import { StudioError } from '@renderkit/contract/studio/schemas/error.ts';
import type { StorageUse } from '@renderkit/contract/studio/storage.ts';
import { Compile } from 'typebox/compile';
import type { Reply } from './http-call.ts';
import { StudioFailure } from './studio-failure.ts';

const errorBody = Compile(StudioError);
/** Beyond this a wait is no advice any more. */
const longestRetryAfterSeconds = 24 * 60 * 60;
// A gateway before the studio says with these that the studio itself did not answer.
const gatewayStatuses = new Set([502, 503, 504]);

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
    });
  // These speak by their status alone: whoever stands before the studio may have written the body.
  if (reply.status === 429) return failure('rate_limited');
  if (gatewayStatuses.has(reply.status)) return failure('unavailable');
  return failure(known === undefined || known === 'internal_error' ? 'nonsense' : 'refused');
}

/** Whole seconds from a Retry-After header (RFC 9110 §10.2.3), given as seconds or as a date. */
function retryAfterOf(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string') return undefined;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  if (Number.isNaN(seconds)) return undefined;
  return Math.min(longestRetryAfterSeconds, Math.max(0, Math.ceil(seconds)));
}

function readErrorBody(
  bytes: Buffer,
): { code: string; retry_after?: number; storage?: StorageUse } | undefined {
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
