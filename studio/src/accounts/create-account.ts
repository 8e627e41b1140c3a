import { type Database, sqlState } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { openBalance } from '../credits/set-credits.ts';
import { findPlan } from './find-plan.ts';
import { insertAccount } from './store.ts';

export type AccountToCreate = {
  email: string;
  /** `null`: nobody can sign in with a password. */
  passwordHash: string | null;
  name: string | null;
  /** The key of a plan. `undefined`: the plan of new accounts (`initialPlan` in `studio/src/catalog/snapshot.ts`). */
  tier: string | undefined;
  /** Exactly this amount, purchased; no monthly credits until the first renewal. `undefined`: the plan's allowance. */
  creditsMillicredits: number | undefined;
};

/**
 * Creates an account with the plan's opening balance and returns its id. Returns `undefined` when the address is taken.
 * Does not check the address and the name: the page does, by `readSignUp` in `identity/src/pages/read-fields.ts`.
 * @throws PlanUnknown
 */
export async function createAccount(
  database: Database,
  account: AccountToCreate,
  actor: Actor,
): Promise<string | undefined> {
  const id = newId('acc_');
  const { creditsMillicredits, tier, ...row } = account;
  try {
    await database.transaction(async (transaction) => {
      const plan = await findPlan(transaction, tier);
      await insertAccount(transaction, { ...row, id, username: null, plan });
      await openBalance(transaction, id, {
        allowanceMillicredits: plan.monthly_millicredits,
        creditsMillicredits,
      });
      await writeAudit(transaction, actor, { accountId: id, action: 'account.created' });
    });
  } catch (error) {
    if (sqlState(error) === '23505') return undefined;
    throw error;
  }
  return id;
}
