import type { Transaction } from '@renderkit/server-kit/db/database.ts';
import type { Plan } from '../catalog/plans.ts';
import { readPlans } from '../catalog/queries.ts';
import { initialPlan } from '../catalog/snapshot.ts';

/** No plan has this key. The message is for an operator. */
export class PlanUnknown extends Error {
  override name = 'PlanUnknown';
}

/**
 * Returns the plan of this key, or the plan of new accounts without a key. The plan stays unchanged until the end of
 * the transaction. The caller must read the plan before locking accounts. @throws PlanUnknown
 */
export async function findPlan(transaction: Transaction, key: string | undefined): Promise<Plan> {
  const plans = await readPlans(transaction);
  if (key === undefined) return initialPlan(plans);
  const plan = plans.find((one) => one.key === key);
  if (plan === undefined)
    throw new PlanUnknown(
      `There is no plan ${key}: the plans are ${plans.map((one) => one.key).join(', ')}.`,
    );
  return plan;
}
