import { millicreditsOf as exactMillicreditsOf } from '@renderkit/contract/studio/credits.ts';
import { ApiProblem } from '../problems/api-problem.ts';

/**
 * Converts credits that a person typed to whole 1/1000 credits; returns null and undefined unchanged. Refuses an amount
 * with more than three decimals.
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
