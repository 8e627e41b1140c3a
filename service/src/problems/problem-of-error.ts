import { isDatabaseUnavailable, isWorthRetrying } from '@renderkit/server-kit/db/database.ts';
import type { HttpError } from '@renderkit/server-kit/http/http-error.ts';
import { ApiProblem } from './api-problem.ts';

/** Seconds after which a database that was away, or an unconfirmed commit, is worth another try. */
const retryAfterSeconds = 2;

/** The refusal that an error amounts to. What is no ApiProblem is our own failure, and tells nothing of itself. */
export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const waitingHelps = isDatabaseUnavailable(error) || isWorthRetrying(error);
  return new ApiProblem('internal_error', {
    detail: 'Something failed in the service. Its operator finds out by the request id.',
    ...(waitingHelps && { retryAfterSeconds }),
    cause: error,
  });
}

/** The refusal that a failure of the framework, the router or the HTTP parser amounts to. */
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
