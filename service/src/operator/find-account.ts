import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type AccountRow, selectAccounts, selectAccountsBy } from './store.ts';

export type { AccountRow } from './store.ts';

/** The service's account of a studio account; undefined where it was never connected or was deleted. */
export async function findAccount(database: Database, studioAccountId: string): Promise<string | undefined> {
  return (await selectAccountsBy(database, 'studio_account_id', studioAccountId))[0]?.id;
}

/** The account with this e-mail address, the newest where there are several. */
export async function findAccountByEmail(database: Database, email: string): Promise<AccountRow | undefined> {
  return (await selectAccountsBy(database, 'email', email))[0];
}

/** All accounts, oldest first. */
export function listAccounts(database: Database): Promise<AccountRow[]> {
  return selectAccounts(database);
}
