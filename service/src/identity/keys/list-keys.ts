import type { Database } from '@renderkit/server-kit/db/database.ts';
import { noSuchKey } from './no-such-key.ts';
import { type ListedKey, presentKey } from './present.ts';
import { selectKey, selectKeys } from './store.ts';

export type { ListedKey } from './present.ts';

/** Keys are made by programs too, and those that ended never go. */
const mostListed = 200;

/** Keys of an account, newest first: all that are active, and so many of the newest that ended that they are 200. */
export async function listKeys(database: Database, accountId: string): Promise<ListedKey[]> {
  return (await selectKeys(database, accountId, mostListed)).map(presentKey);
}

/** One of an account's keys. @throws ApiProblem `not_found` */
export async function showKey(database: Database, keyId: string, accountId: string): Promise<ListedKey> {
  const row = await selectKey(database, keyId, { accountId });
  if (row === undefined) throw noSuchKey();
  return presentKey(row);
}
