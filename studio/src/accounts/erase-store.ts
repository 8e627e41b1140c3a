import type { Database } from '@renderkit/server-kit/db/database.ts';

export async function accountsToErase(database: Database, atMost: number): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    `select id from accounts a where deleted_at is not null and erased_at is null
       and not exists (select from renders r where r.account_id = a.id and r.status in ('queued', 'running'))
     order by deleted_at limit $1`,
    [atMost],
  );
  return rows.map(({ id }) => id);
}

export async function mediaOf(database: Database, account: string): Promise<string[]> {
  const rows = await database.rows<{ storage_key: string }>(
    `select storage_key from assets where account_id = $1
     union all select storage_key from uploads where account_id = $1
     union all select f.storage_key from frames f join assets a on a.id = f.video_id where a.account_id = $1`,
    [account],
  );
  return rows.map(({ storage_key }) => storage_key);
}

export async function eraseRows(database: Database, account: string): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.execute('select from accounts where id = $1 for update', [account]);
    for (const statement of [
      'delete from frames f using assets a where a.id = f.video_id and a.account_id = $1',
      'delete from assets where account_id = $1',
      'delete from uploads where account_id = $1',
      'delete from deleted_uploads where account_id = $1',
      'delete from styles where account_id = $1',
      'delete from projects where account_id = $1',
      'delete from changes where account_id = $1',
      'delete from audit_entries where account_id = $1',
      'update renders set request = null, refusal = null where account_id = $1',
      'update accounts set change_floor = change_seq, erased_at = clock() where id = $1',
    ])
      await transaction.execute(statement, [account]);
  });
}
