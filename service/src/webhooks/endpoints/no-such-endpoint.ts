import { ApiProblem } from '../../problems/api-problem.ts';

/** Unknown, deleted, or somebody else's: all the same to whoever asks. */
export function noSuchEndpoint(): ApiProblem {
  return new ApiProblem('not_found', { detail: 'There is no such webhook endpoint.' });
}
