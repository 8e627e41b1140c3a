import type { Database } from '@renderkit/server-kit/database.ts';
import { noSuchKey } from './no-such-key.ts';
import { type ListedKey, presentKey } from './present.ts';
import { selectKey, selectKeys } from './store.ts';

export type { ListedKey } from './present.ts';

/** All keys of an account, revoked and expired ones too, newest first. */
export async function listKeys(database: Database, accountId: string): Promise<ListedKey[]> {
  return (await selectKeys(database, accountId)).map(presentKey);
}

/** One of an account's keys. @throws ApiProblem `not_found` */
export async function showKey(database: Database, keyId: string, accountId: string): Promise<ListedKey> {
  const row = await selectKey(database.pool, keyId, { accountId });
  if (row === undefined) throw noSuchKey();
  return presentKey(row);
}
