import { ApiProblem } from '../problems/api-problem.ts';

/**
 * Checks a cost against what the key may still commit today; all in 1/1000 credit. Equal is allowed.
 * @throws ApiProblem `budget_exceeded`
 */
export function checkBudget(costMillicredits: number, leftMillicredits: number | undefined): void {
  if (leftMillicredits !== undefined && costMillicredits > leftMillicredits)
    throw budgetExceeded(costMillicredits, leftMillicredits);
}

/** The refusal of a cost that passes the key's daily budget (docs/api.md §5). */
export function budgetExceeded(costMillicredits: number, leftMillicredits: number): ApiProblem {
  const left = Math.max(0, leftMillicredits) / 1000;
  return new ApiProblem('budget_exceeded', {
    detail: `The generation costs ${costMillicredits / 1000} credits, and the key may commit ${left} more before 00:00 UTC.`,
  });
}
