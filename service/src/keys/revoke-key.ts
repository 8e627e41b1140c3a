import type { Database } from '@renderkit/server-kit/database.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { markRevoked, notifyRevoked } from './store.ts';

/** Ids of keys that were revoked are announced here, so that open long polls of theirs end at once. */
export const revokedKeysChannel = 'keys_revoked';

/**
 * Ends a key for good. When this returns no process accepts it any more; a second time it changes nothing.
 * @throws ApiProblem `not_found`
 */
export async function revokeKey(database: Database, keyId: string): Promise<void> {
  const revoked = await markRevoked(database, { keyId });
  if (revoked.length === 0) throw new ApiProblem('not_found', { detail: 'There is no such key.' });
  await notifyRevoked(database, revokedKeysChannel, revoked);
}

/** Ends all keys of an account. */
export async function revokeKeysOf(database: Database, accountId: string): Promise<void> {
  await notifyRevoked(database, revokedKeysChannel, await markRevoked(database, { accountId }));
}
