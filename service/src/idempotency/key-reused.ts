import { ApiProblem } from '../problems/api-problem.ts';

/** The refusal of an Idempotency-Key that came with another request before (docs/api.md §4). */
export function keyReused(): ApiProblem {
  return new ApiProblem('conflict', {
    detail: 'This Idempotency-Key was used for a different request: take a fresh one for a new request.',
  });
}
