import { notFoundDetail } from '@renderkit/server-kit/http/route-methods.ts';
import type { FastifyRequest } from 'fastify';
import { ApiProblem } from './api-problem.ts';

/**
 * Returns the refusal of an unknown route. Only admitted clients get it: nobody else learns which routes exist.
 * `service/src/http/serve-operations.ts` admits a client before it looks for the route.
 */
export function unknownRoute(request: FastifyRequest): ApiProblem {
  return new ApiProblem('not_found', { detail: notFoundDetail(request, 'There is no such route.') });
}
