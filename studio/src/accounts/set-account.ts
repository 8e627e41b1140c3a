import type { Database } from '@renderkit/server-kit/db/database.ts';
import { writeAdminAudit } from '../audit/admin-audit.ts';
import { operator } from '../audit/write-audit.ts';
import { setBalance } from '../credits/set-credits.ts';
import { findPlan } from './find-plan.ts';
import { setPassword } from './set-password.ts';
import { type AccountFlags, lockAccount, updateFlags, updatePlan, updateStorageLimit } from './store.ts';

export type AccountSettings = AccountFlags & {
  passwordHash?: string | undefined;
  creditsMillicredits?: number;
  /** Key of a plan. The plan's limits apply at once, its allowance from the next renewal. */
  tier?: string;
  /** How many bytes the account may store, in place of the plan's limit. `null` restores the plan's limit. */
  storageBytes?: number | null;
};

/** Changes the named settings of an account on behalf of an operator and leaves the others. @throws PlanUnknown */
export async function setAccount(
  database: Database,
  { id, administrator }: { id: string; administrator: boolean },
  { passwordHash, creditsMillicredits, tier, storageBytes, ...flags }: AccountSettings,
): Promise<void> {
  await database.transaction(async (transaction) => {
    const plan = tier === undefined ? undefined : await findPlan(transaction, tier);
    await lockAccount(transaction, id);
    if (passwordHash !== undefined)
      await setPassword(
        transaction,
        { accountId: id, passwordHash },
        { actor: operator, action: 'password.set' },
      );
    await updateFlags(transaction, id, flags);
    if (flags.administrator !== undefined && flags.administrator !== administrator)
      await writeAdminAudit(transaction, 'operator', {
        action: 'account.administrator_set',
        subject: `account:${id}`,
        before: { administrator },
        after: { administrator: flags.administrator },
      });
    if (plan !== undefined) await updatePlan(transaction, id, plan);
    if (storageBytes !== undefined) await updateStorageLimit(transaction, id, storageBytes);
    if (creditsMillicredits !== undefined) await setBalance(transaction, id, creditsMillicredits);
  });
}
