import { notFoundDetail } from '@renderkit/server-kit/http/route-methods.ts';
import type { FastifyRequest } from 'fastify';
import { ApiProblem } from './api-problem.ts';

/** Whoever is told has been let in: nobody else learns which routes there are. */
export function unknownRoute(request: FastifyRequest): ApiProblem {
  return new ApiProblem('not_found', { detail: notFoundDetail(request, 'There is no such route.') });
}
