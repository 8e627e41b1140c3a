import { isDatabaseUnavailable, isWorthRetrying } from '@renderkit/server-kit/db/database.ts';
import type { HttpError } from '@renderkit/server-kit/http/http-error.ts';
import { ApiProblem } from './api-problem.ts';

/** Seconds until a retry is useful after a database outage or an unconfirmed commit. */
const retryAfterSeconds = 2;

/**
 * Converts an error to a refusal. Any error except ApiProblem is our own failure, whose details are not sent.
 * `service/src/studio-client/translate-error.ts` converts the failures of the studio.
 */
export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const waitingHelps = isDatabaseUnavailable(error) || isWorthRetrying(error);
  return new ApiProblem('internal_error', {
    detail: 'Something failed in the service. Its operator finds out by the request id.',
    ...(waitingHelps && { retryAfterSeconds }),
    cause: error,
  });
}

/** Converts an error of the framework, the router or the HTTP parser to a refusal. */
export function problemOfHttpError(error: HttpError): ApiProblem {
  switch (error.reason) {
    case 'not_found':
      return new ApiProblem('not_found', { detail: error.detail });
    case 'unexpected':
      return problemOf(error.cause);
    default:
      return new ApiProblem('invalid_request', { detail: error.detail, cause: error.cause });
  }
}
