import type { Database } from '@renderkit/server-kit/db/database.ts';

export type AccountRow = {
  id: string;
  studio_id: string;
  studio_account_id: string;
  email: string | null;
  created_at: Date;
  connection: 'live' | 'ended' | null;
};

const accountColumns = `a.id, a.studio_id, a.studio_account_id, a.email, a.created_at, c.status as connection
  from accounts a left join connections c on c.account_id = a.id
 where a.deleted_at is null`;

/** Returns all accounts, oldest first. */
export function listAccounts(database: Database): Promise<AccountRow[]> {
  return database.rows<AccountRow>(`select ${accountColumns} order by a.created_at, a.id`);
}

/**
 * Returns the id of the service's account for a studio account; `undefined` when it was never connected or was deleted.
 */
export async function findAccount(database: Database, studioAccountId: string): Promise<string | undefined> {
  return (await selectNewestBy(database, 'studio_account_id', studioAccountId))?.id;
}

/** Returns the account with this e-mail address, the newest one when there are several. */
export function findAccountByEmail(database: Database, email: string): Promise<AccountRow | undefined> {
  return selectNewestBy(database, 'email', email);
}

async function selectNewestBy(
  database: Database,
  column: 'email' | 'studio_account_id',
  value: string,
): Promise<AccountRow | undefined> {
  const [newest] = await database.rows<AccountRow>(
    `select ${accountColumns} and a.${column} = $1 order by a.created_at desc limit 1`,
    [value],
  );
  return newest;
}
