import type { StudioStyle } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';

export async function ownStyles(database: Database, accountId: string): Promise<StudioStyle[]> {
  return database.rows<StudioStyle>(
    'select id, name, type, true as custom from styles where account_id = $1 order by created_at, id',
    [accountId],
  );
}

/** Adds a style of the account's own and with it a new version of its catalog. */
export async function insertStyle(
  database: Database,
  style: { id: string; accountId: string; name: string; type: 'image' | 'video' },
): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.execute('update accounts set styles_version = styles_version + 1 where id = $1', [
      style.accountId,
    ]);
    await transaction.execute('insert into styles (id, account_id, name, type) values ($1, $2, $3, $4)', [
      style.id,
      style.accountId,
      style.name,
      style.type,
    ]);
  });
}
