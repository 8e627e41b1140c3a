import type { Transaction } from '@renderkit/server-kit/db/database.ts';
import type { Plan } from '../catalog/plans.ts';
import { readPlans } from '../catalog/queries.ts';
import { initialPlan } from '../catalog/snapshot.ts';

/** There is no plan of this key; the message is for an operator. */
export class PlanUnknown extends Error {
  override name = 'PlanUnknown';
}

/**
 * The plan of this key, without one that of new accounts, as it stays to the end of the transaction. Asked for before
 * accounts are locked. @throws PlanUnknown
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
