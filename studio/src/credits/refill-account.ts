import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Bearer } from '../authentication/authenticate.ts';
import { readAccountFacts } from '../authentication/queries.ts';
import { accountsDue, refillAccount } from './store.ts';

const accountsPerRound = 200;

/**
 * Returns the bearer after renewing its monthly credits, if they are due. `studio/sql/functions/refill.sql` decides how
 * much, `next_refill.sql` beside it when the next renewal is.
 */
export async function refreshed(database: Database, bearer: Bearer): Promise<Bearer> {
  if (!bearer.account.refill_due) return bearer;
  await refillAccount(database, bearer.account.id);
  return { ...bearer, account: (await readAccountFacts(database, bearer.account.id)) ?? bearer.account };
}

/** Renews the credits of all due accounts, one transaction each. Returns how many. */
export async function refillDueAccounts(database: Database): Promise<number> {
  const due = await accountsDue(database, accountsPerRound);
  for (const account of due) await refillAccount(database, account);
  return due.length;
}
