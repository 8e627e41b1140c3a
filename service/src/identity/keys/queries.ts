import type { Database } from '@renderkit/server-kit/db/database.ts';

/** Those of the given keys that let nobody in any more. */
export async function readUnusableKeys(database: Database, keyIds: readonly string[]): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    'select id from api_keys where id = any ($1) and (revoked_at is not null or expires_at <= clock())',
    [keyIds],
    'keys_unusable',
  );
  return rows.map(({ id }) => id);
}
