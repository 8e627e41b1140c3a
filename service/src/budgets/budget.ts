import { creditsOf } from '@renderkit/contract/studio/credits.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { headers } from '@renderkit/contract/v1/headers.ts';
import { ApiProblem } from '../problems/api-problem.ts';

/**
 * Checks a cost against what the key may still commit today; all in 1/1000 credit. Equal is allowed. It spares the studio
 * a quote that could not be used: the race between creates is decided in sql/functions/accept_generations.sql, under the
 * account's lock. What is committed already is read by sql/functions/committed_today.sql, here and there.
 * @throws ApiProblem `budget_exceeded`
 */
export function checkBudget(costMillicredits: number, leftMillicredits: number | undefined): void {
  if (leftMillicredits !== undefined && costMillicredits > leftMillicredits)
    throw budgetExceeded(costMillicredits, leftMillicredits);
}

const maxCreditsShape = /^\d{1,9}(?:\.\d{1,3})?$/;

/**
 * What a create may cost at most by its own word (docs/api.md §4), in 1/1000 credit; undefined where it says nothing.
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
 * Checks a cost against what its request allows; both in 1/1000 credit. Equal is allowed. The cost that is checked is the
 * one that is quoted and charged, so a price that is published after an estimate cannot be paid by mistake.
 * @throws ApiProblem `budget_exceeded`
 */
export function checkMaxCost(costMillicredits: number, maxMillicredits: number | undefined): void {
  if (maxMillicredits !== undefined && costMillicredits > maxMillicredits)
    throw new ApiProblem('budget_exceeded', {
      detail: `The generation costs ${creditsOf(costMillicredits)} credits, and ${headers.maxCredits} allows ${creditsOf(maxMillicredits)}.`,
    });
}

/** The refusal of a cost that passes the key's daily budget (docs/api.md §5). */
export function budgetExceeded(costMillicredits: number, leftMillicredits: number): ApiProblem {
  const left = creditsOf(Math.max(0, leftMillicredits));
  return new ApiProblem('budget_exceeded', {
    detail: `The generation costs ${creditsOf(costMillicredits)} credits, and the key may commit ${left} more before 00:00 UTC.`,
  });
}
