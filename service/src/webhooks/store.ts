import type { Database } from '@renderkit/server-kit/database.ts';
import type { SubscribableEventType } from './judge-endpoint.ts';

export type EndpointRow = {
  id: string;
  account_id: string;
  url: string;
  events: SubscribableEventType[];
  created_at: Date;
  paused_at: Date | null;
  /** Since when every attempt failed; null: the last was a success, or there was none. */
  failing_since: Date | null;
};

/** Of which account: others' endpoints are unknown to it. Left out: of any. */
export type Owner = { accountId?: string | undefined };

/** Inserts an endpoint unless the account is gone or has `most` of them. */
export function insertEndpoint(
  database: Database,
  endpoint: { id: string; accountId: string; url: string; events: readonly string[]; secretSealed: string },
  most: number,
): Promise<'inserted' | 'no_account' | 'too_many'> {
  return database.transaction(async (transaction) => {
    // The lock makes two that would both be the last one come one after the other.
    const { rowCount } = await transaction.query(
      'select 1 from accounts where id = $1 and deleted_at is null for no key update',
      [endpoint.accountId],
    );
    if (rowCount === 0) return 'no_account';
    const result = await transaction.query(
      `with endpoint as (
         insert into webhook_endpoints (id, account_id, url, events, secret_sealed)
         select $1, $2, $3, $4, $5
          where (select count(*) from webhook_endpoints where account_id = $2 and deleted_at is null) < $6
         returning id, account_id
       )
       insert into endpoint_turns (endpoint_id, account_id) select id, account_id from endpoint`,
      [endpoint.id, endpoint.accountId, endpoint.url, endpoint.events, endpoint.secretSealed, most],
    );
    return result.rowCount === 1 ? 'inserted' : 'too_many';
  });
}

/** The endpoints of an account, oldest first. */
export function selectEndpoints(database: Database, accountId: string): Promise<EndpointRow[]> {
  return database.rows<EndpointRow>(
    `select e.id, e.account_id, e.url, e.events, e.created_at, e.paused_at, t.failing_since
       from webhook_endpoints e join endpoint_turns t on t.endpoint_id = e.id
      where e.account_id = $1 and e.deleted_at is null order by e.created_at, e.id`,
    [accountId],
  );
}

/** Pauses or resumes; a second time it changes nothing. False where there is no such endpoint. */
export async function setPaused(
  database: Database,
  endpointId: string,
  paused: boolean,
  owner: Owner,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const { rowCount } = await transaction.query(
      `update webhook_endpoints set paused_at = case when $2 then coalesce(paused_at, clock()) end
        where id = $1 and deleted_at is null and account_id = coalesce($3, account_id)`,
      [endpointId, paused, owner.accountId ?? null],
    );
    if (rowCount !== 1) return false;
    // What rests is looked at again; while it is paused that finds only pings.
    await transaction.query('update endpoint_turns set next_due = clock() where endpoint_id = $1', [
      endpointId,
    ]);
    return true;
  });
}

/** From now on nothing is written for it, and its secrets are gone. False where there is no such endpoint. */
export async function markDeleted(database: Database, endpointId: string, owner: Owner): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const { rowCount } = await transaction.query(
      `update webhook_endpoints
          set deleted_at = clock(), secret_sealed = '', previous_secret_sealed = null, previous_secret_until = null
        where id = $1 and deleted_at is null and account_id = coalesce($2, account_id)`,
      [endpointId, owner.accountId ?? null],
    );
    if (rowCount !== 1) return false;
    // Should this process end now, the deliverers end what is left.
    await transaction.query('update endpoint_turns set next_due = clock() where endpoint_id = $1', [
      endpointId,
    ]);
    return true;
  });
}

/** Ends deliveries of a deleted endpoint, so many at most; how many there were. */
export async function endDeliveries(database: Database, endpointId: string, most: number): Promise<number> {
  const rows = await database.rows<{ ended: number }>('select end_deliveries($1, $2) as ended', [
    endpointId,
    most,
  ]);
  return rows[0]?.ended ?? 0;
}

/** The sealed secret; undefined where there is no such endpoint. */
export async function selectSecret(
  database: Database,
  endpointId: string,
  owner: Owner,
): Promise<string | undefined> {
  const rows = await database.rows<{ secret_sealed: string }>(
    `select secret_sealed from webhook_endpoints
      where id = $1 and deleted_at is null and account_id = coalesce($2, account_id)`,
    [endpointId, owner.accountId ?? null],
  );
  return rows[0]?.secret_sealed;
}

/** Puts a new secret in the place of the one that is there, which stays good for so long. False: no such endpoint. */
export async function replaceSecret(
  database: Database,
  endpointId: string,
  sealed: string,
  options: Owner & { overlapSeconds: number },
): Promise<boolean> {
  const rows = await database.rows(
    `update webhook_endpoints
        set secret_sealed = $2, previous_secret_sealed = secret_sealed,
            previous_secret_until = clock() + $3 * interval '1 second'
      where id = $1 and deleted_at is null and account_id = coalesce($4, account_id)
     returning id`,
    [endpointId, sealed, options.overlapSeconds, options.accountId ?? null],
  );
  return rows.length === 1;
}

/** Ids of an account's endpoints. */
export async function selectEndpointIds(database: Database, accountId: string): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    'select id from webhook_endpoints where account_id = $1 and deleted_at is null',
    [accountId],
  );
  return rows.map(({ id }) => id);
}
