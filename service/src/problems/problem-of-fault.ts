import type { HttpFault } from '@renderkit/server-kit/http/http-error.ts';
import { ApiProblem } from './api-problem.ts';
import { problemOf } from './problem-of-error.ts';

/** The refusal that a failure of the framework, the router or the HTTP parser amounts to. */
export function problemOfFault(fault: HttpFault): ApiProblem {
  switch (fault.reason) {
    case 'not_found':
      return new ApiProblem('not_found', { detail: fault.detail });
    case 'unexpected':
      return problemOf(fault.cause);
    default:
      return new ApiProblem('invalid_request', { detail: fault.detail, cause: fault.cause });
  }
}
