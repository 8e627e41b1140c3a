import { ApiProblem } from '../problems/api-problem.ts';
import { StudioFailure } from './studio-failure.ts';

/**
 * For a call that names one thing of the studio's in its path: what the studio does not know, or cannot even read as an
 * id, is not found. `detail` must be the same for both, so that nobody learns whose an id is.
 */
export function asNotFound(detail: string): (error: unknown) => never {
  return (error) => {
    if (
      error instanceof StudioFailure &&
      error.kind === 'refused' &&
      (error.studioCode === 'not_found' || error.studioCode === 'invalid_request')
    )
      throw new ApiProblem('not_found', { detail, cause: error });
    throw error;
  };
}
