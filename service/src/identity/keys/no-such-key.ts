import { ApiProblem } from '../../problems/api-problem.ts';

/** Unknown, or somebody else's: all the same to whoever asks. */
export function noSuchKey(): ApiProblem {
  return new ApiProblem('not_found', { detail: 'There is no such key.' });
}
