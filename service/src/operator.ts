/**
 * What an operator may do to the service's database: plain functions, no HTTP. An operator has the machine; API keys
 * can never do these things.
 */
import type { Scope } from '@renderkit/contract/v1/scopes.ts';
import type { Database } from '@renderkit/server-kit/database.ts';
import { createKey as createKeyOf, type NewKey } from './keys/create-key.ts';
import { findAccountByEmail } from './operator/find-account.ts';
import { ApiProblem } from './problems/api-problem.ts';

export { connectAccount } from './studio-client/connect-account.ts';
export { deleteAccount } from './operator/delete-account.ts';
export { type AccountRow, findAccount, findAccountByEmail, listAccounts } from './operator/find-account.ts';
export { type ListedKey, listKeys } from './keys/list-keys.ts';
export { revokeKey } from './keys/revoke-key.ts';

/**
 * Makes an API key for an account, named by its id or its e-mail address. Its text is in the answer and nowhere else.
 * @throws ApiProblem
 */
export async function createKey(
  database: Database,
  wanted: Omit<NewKey, 'accountId' | 'scopes'> & { scopes?: readonly string[] } & (
      | { accountId: string }
      | { accountEmail: string }
    ),
): Promise<{ id: string; key: string }> {
  const accountId =
    'accountId' in wanted ? wanted.accountId : (await findAccountByEmail(database, wanted.accountEmail))?.id;
  if (accountId === undefined) throw new ApiProblem('not_found', { detail: 'There is no such account.' });
  // Names of scopes are judged by the verb itself.
  return createKeyOf(database, {
    ...wanted,
    accountId,
    scopes: wanted.scopes as readonly Scope[] | undefined,
  });
}
