import { creditsOf } from '@renderkit/contract/studio/credits.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { headers } from '@renderkit/contract/v1/headers.ts';
import { ApiProblem } from '../problems/api-problem.ts';

/**
 * Checks a cost against what the key may still commit today; both in 1/1000 credit. Equal is allowed. This early check
 * only saves the studio a useless quote. sql/functions/accept_generations.sql decides between concurrent creates, under
 * the account's lock. Both read the committed amount with sql/functions/committed_today.sql.
 * @throws ApiProblem `budget_exceeded`
 */
export function checkBudget(costMillicredits: number, leftMillicredits: number | undefined): void {
  if (leftMillicredits !== undefined && costMillicredits > leftMillicredits)
    throw budgetExceeded(costMillicredits, leftMillicredits);
}

const maxCreditsShape = /^\d{1,9}(?:\.\d{1,3})?$/;

/**
 * Reads the highest cost that the request itself allows (docs/api.md §4), in 1/1000 credit. Returns `undefined` when
 * the request sets no limit.
 * @throws ApiProblem `invalid_request`
 */
export function readMaxCost(request: Readonly<IncomingHttpHeaders>): number | undefined {
  const value = request[headers.maxCredits.toLowerCase()];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !maxCreditsShape.test(value))
    throw new ApiProblem('invalid_request', {
      errors: [
        { field: headers.maxCredits, message: 'must be a number of credits, with 3 decimals at most' },
      ],
    });
  return Math.round(Number(value) * 1_000);
}

/**
 * Checks a cost against the limit of its request; both in 1/1000 credit. Equal is allowed. The checked cost is the one
 * that is quoted and charged. So nobody pays by mistake a price that was published after an estimate.
 * @throws ApiProblem `budget_exceeded`
 */
export function checkMaxCost(costMillicredits: number, maxMillicredits: number | undefined): void {
  if (maxMillicredits !== undefined && costMillicredits > maxMillicredits)
    throw new ApiProblem('budget_exceeded', {
      detail: `The generation costs ${creditsOf(costMillicredits)} credits, and ${headers.maxCredits} allows ${creditsOf(maxMillicredits)}.`,
    });
}

/** Returns the refusal of a cost that exceeds the key's daily budget (docs/api.md §5). */
export function budgetExceeded(costMillicredits: number, leftMillicredits: number): ApiProblem {
  const left = creditsOf(Math.max(0, leftMillicredits));
  return new ApiProblem('budget_exceeded', {
    detail: `The generation costs ${creditsOf(costMillicredits)} credits, and the key may commit ${left} more before 00:00 UTC.`,
  });
}
