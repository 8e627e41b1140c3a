import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';

/** Marks an account as deleted. From then on its keys and sessions are refused. */
export async function markDeleted(transaction: Queryable, accountId: string): Promise<void> {
  await transaction.execute('update accounts set deleted_at = clock() where id = $1 and deleted_at is null', [
    accountId,
  ]);
}

/** An account and the time of its deletion. It may be connected again and deleted again later. */
export type Deleted = { id: string; deleted_at: string };

/** Returns deleted accounts that still have something to erase and nothing running any more; at most 10. */
export function selectErasable(database: Database): Promise<Deleted[]> {
  return database.rows<Deleted>(
    `select id, deleted_at::text from accounts a
      where deleted_at is not null
        and (email is not null or exists (select 1 from connections c where c.account_id = a.id))
        and not exists (select 1 from generations g where g.account_id = a.id and g.completed_at is null)
      limit 10`,
  );
}

/** Returns whether the account is still deleted, since the same time. */
export async function isStillDeleted(
  queryable: Queryable,
  { id, deleted_at: at }: Deleted,
  options: { lock?: boolean } = {},
): Promise<boolean> {
  const rowCount = await queryable.execute(
    `select 1 from accounts where id = $1 and deleted_at = $2::timestamptz ${options.lock ? 'for no key update' : ''}`,
    [id, at],
  );
  return rowCount === 1;
}

/** How far an erasure has got: the last row that it has handled. */
export type ErasureCursor = { created_at: string; id: string };

/**
 * Erases the contents of the next 1,000 generations. Returns `undefined` when there are no more. Generations requested
 * after the account was connected again stay.
 */
export async function eraseGenerations(
  database: Database,
  accountId: string,
  after: ErasureCursor,
): Promise<ErasureCursor | undefined> {
  const rows = await database.rows<ErasureCursor>(
    `with page as (
       select id, created_at from generations
        where account_id = $1 and (created_at, id) > ($2::timestamptz, $3)
          and exists (select from accounts where id = $1 and deleted_at is not null)
        order by created_at, id limit 1000
     ), texts as (
       delete from generation_requests where generation_id in (select id from page)
     ), emptied as (
       update generations set outputs = '[]', metadata = '{}', error_message = null, idempotency_key = null
        where id in (select id from page)
     )
     select id, created_at::text from page order by created_at desc, id desc limit 1`,
    [accountId, after.created_at, after.id],
  );
  return rows[0];
}

/**
 * Erases the next 500 events with their deliveries and attempts, and the next 500 rows of the event stream. Returns how
 * many there were.
 */
export async function eraseEvents(database: Database, accountId: string): Promise<number> {
  return database.transaction(async (transaction) => {
    await lockTurns(transaction, accountId);
    const streamed = await transaction.execute(
      `delete from account_events where account_id = $1 and seq in (
         select seq from account_events where account_id = $1 limit 500)`,
      [accountId],
    );
    const erased = await transaction.execute(
      `with doomed as (
         select id from events where account_id = $1 limit 500
       ), attempts as (
         delete from delivery_attempts
          where delivery_id in (select d.id from deliveries d where d.event_id in (select id from doomed))
       )
       delete from events where id in (select id from doomed)`,
      [accountId],
    );
    return erased + streamed;
  });
}

/**
 * Locks the turns of the account's endpoints. Recording an attempt takes the same locks. So until the transaction ends
 * no attempt of the account is recorded, and none can cause a deadlock.
 */
async function lockTurns(transaction: Queryable, accountId: string): Promise<void> {
  await transaction.execute(
    'select 1 from endpoint_turns where account_id = $1 order by endpoint_id for no key update',
    [accountId],
  );
}

/**
 * Ends an erasure: erases names and secrets. The amounts that were spent stay, without a name. Returns false and
 * changes nothing when the account was connected again.
 */
export async function eraseAccount(database: Database, account: Deleted): Promise<boolean> {
  const accountId = account.id;
  return database.transaction(async (transaction) => {
    if (!(await isStillDeleted(transaction, account, { lock: true }))) return false;
    await transaction.execute('delete from connections where account_id = $1', [accountId]);
    await lockTurns(transaction, accountId);
    await transaction.execute('delete from webhook_endpoints where account_id = $1', [accountId]);
    await transaction.execute(`update api_keys set name = '' where account_id = $1`, [accountId]);
    await transaction.execute('update accounts set email = null where id = $1', [accountId]);
    return true;
  });
}
