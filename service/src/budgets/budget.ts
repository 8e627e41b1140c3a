import { creditsOf } from '../amounts.ts';
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

/** The refusal of a cost that passes the key's daily budget (docs/api.md §5). */
export function budgetExceeded(costMillicredits: number, leftMillicredits: number): ApiProblem {
  const left = creditsOf(Math.max(0, leftMillicredits));
  return new ApiProblem('budget_exceeded', {
    detail: `The generation costs ${creditsOf(costMillicredits)} credits, and the key may commit ${left} more before 00:00 UTC.`,
  });
}
