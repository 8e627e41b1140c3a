import { ApiProblem } from '../../problems/api-problem.ts';

/** Unknown, too old, or somebody else's: all the same to whoever asks. */
export function noSuchDelivery(): ApiProblem {
  return new ApiProblem('not_found', { detail: 'There is no such delivery.' });
}
