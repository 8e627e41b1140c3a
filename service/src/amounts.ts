import { ApiProblem } from './problems/api-problem.ts';

/** Credits, as clients see them, of whole 1/1000 credits. */
export function creditsOf(millicredits: number): number {
  return millicredits / 1000;
}

/**
 * Credits that a person typed as whole 1/1000 credits; null and undefined stay what they are. What is finer is refused
 * and never rounded. @throws ApiProblem `invalid_request` that names the field
 */
export function millicreditsOf<T extends null | undefined>(credits: number | T, field: string): number | T {
  if (typeof credits !== 'number') return credits;
  const millicredits = Math.round(credits * 1000);
  // Division gives the float that lies nearest to a decimal of three places: what was typed, if it had no more.
  if (creditsOf(millicredits) !== credits)
    throw new ApiProblem('invalid_request', {
      errors: [{ field, message: 'must have three decimals at most.' }],
    });
  return millicredits;
}
