import { millicreditsOf as exactMillicreditsOf } from '@renderkit/contract/studio/credits.ts';
import { ApiProblem } from '../problems/api-problem.ts';

/**
 * Credits that a person typed as whole 1/1000 credits; null and undefined stay what they are. What is finer is refused.
 * @throws ApiProblem `invalid_request` that names the field
 */
export function millicreditsOf<T extends null | undefined>(credits: number | T, field: string): number | T {
  if (typeof credits !== 'number') return credits;
  const millicredits = exactMillicreditsOf(credits);
  if (millicredits === undefined)
    throw new ApiProblem('invalid_request', {
      errors: [{ field, message: 'must have three decimals at most.' }],
    });
  return millicredits;
}
