import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';
import type { SubscribableEventType } from './validate-endpoint.ts';

export type EndpointRow = {
  id: string;
  account_id: string;
  url: string;
  events: SubscribableEventType[];
  created_at: Date;
  paused_at: Date | null;
  /** The time since which every attempt has failed; null if the last one succeeded, or there was none. */
  failing_since: Date | null;
};

/** Inserts an endpoint, unless the account is gone or already has `max` endpoints. */
export async function insertEndpoint(
  transaction: Queryable,
  endpoint: {
    id: string;
    accountId: string;
    url: string;
    events: readonly string[];
    encryptedSecret: string;
  },
  max: number,
): Promise<'inserted' | 'no_account' | 'too_many'> {
  // The lock serializes two inserts that would both be the last one allowed.
  if (!(await lockAccount(transaction, endpoint.accountId))) return 'no_account';
  const inserted = await transaction.execute(
    `with endpoint as (
       insert into webhook_endpoints (id, account_id, url, events, secret_sealed)
       select $1, $2, $3, $4, $5
        where (select count(*) from webhook_endpoints where account_id = $2 and deleted_at is null) < $6
       returning id, account_id
     )
     insert into endpoint_turns (endpoint_id, account_id) select id, account_id from endpoint`,
    [endpoint.id, endpoint.accountId, endpoint.url, endpoint.events, endpoint.encryptedSecret, max],
  );
  return inserted === 1 ? 'inserted' : 'too_many';
}

/** Locks an account until the transaction ends. Returns false where there is no such account. */
export async function lockAccount(transaction: Queryable, accountId: string): Promise<boolean> {
  const rowCount = await transaction.execute(
    'select 1 from accounts where id = $1 and deleted_at is null for no key update',
    [accountId],
  );
  return rowCount === 1;
}

/** Seconds until the next manual delivery is allowed; null if it is allowed now. */
export type ManualSendWaits = { endpoint: number | null; account: number | null };
type SendCount = { kind: string; accountId: string; endpointId: string };

/** Returns how long an endpoint and its account must wait, if each may have `max` manual deliveries in any minute. */
export async function selectManualSendWaits(
  queryable: Queryable,
  send: SendCount,
  max: { endpoint: number; account: number },
): Promise<ManualSendWaits> {
  const rows = await queryable.rows<ManualSendWaits>(
    // Finds the delivery that fills the limit: when it is a minute old, the next one may be sent.
    `with recent as (
       select endpoint_id, sent_at from manual_sends
        where account_id = $1 and kind = $2 and sent_at > clock() - interval '1 minute'
     ), filling as (
       select (select sent_at from recent where endpoint_id = $3 order by sent_at desc offset $4 - 1 limit 1) as endpoint,
              (select sent_at from recent order by sent_at desc offset $5 - 1 limit 1) as account
     )
     select extract(epoch from endpoint + interval '1 minute' - clock())::float as endpoint,
            extract(epoch from account + interval '1 minute' - clock())::float as account
       from filling`,
    [send.accountId, send.kind, send.endpointId, max.endpoint, max.account],
  );
  return rows[0] ?? { endpoint: null, account: null };
}

/** Records a manual delivery. The caller must have locked the account, so that nobody else counts meanwhile. */
export async function insertManualSend(transaction: Queryable, send: SendCount): Promise<void> {
  await transaction.execute(
    'insert into manual_sends (account_id, kind, endpoint_id, sent_at) values ($1, $2, $3, clock())',
    [send.accountId, send.kind, send.endpointId],
  );
}

const endpoints = `select e.id, e.account_id, e.url, e.events, e.created_at, e.paused_at, t.failing_since
  from webhook_endpoints e join endpoint_turns t on t.endpoint_id = e.id where e.deleted_at is null`;

/** Returns the endpoints of an account, oldest first. */
export function selectEndpoints(database: Database, accountId: string): Promise<EndpointRow[]> {
  return database.rows<EndpointRow>(`${endpoints} and e.account_id = $1 order by e.created_at, e.id`, [
    accountId,
  ]);
}

/**
 * Returns one endpoint; undefined where the account has none of that id. Without an account it may be any account's.
 * With `lock` nobody else can change it until the transaction ends.
 */
export async function selectEndpoint(
  queryable: Queryable,
  endpointId: string,
  options: { accountId?: string | undefined; lock?: boolean } = {},
): Promise<EndpointRow | undefined> {
  const rows = await queryable.rows<EndpointRow>(
    `${endpoints} and e.id = $1 and e.account_id = coalesce($2, e.account_id)
     ${options.lock ? 'for no key update of e' : ''}`,
    [endpointId, options.accountId ?? null],
  );
  return rows[0];
}

export type Health = { endpoint_id: string; delivered: number; failed: number; pending: number };

/**
 * Counts deliveries of endpoints: how many of the newest `max` of the last 24 hours were delivered, how many failed in
 * that time, and how many wait for an attempt. Tests count only as delivered. No count exceeds `max`; the few tests
 * that it skips are limited (limitManualSends).
 */
export function selectHealth(
  database: Database,
  endpointIds: readonly string[],
  max: number,
): Promise<Health[]> {
  const lastDay = `d.endpoint_id = e.id and d.created_at >= clock() - interval '24 hours'`;
  return database.rows<Health>(
    `select e.id as endpoint_id,
            (select count(*) filter (where n.status = 'delivered')::integer from (
               select d.status from deliveries d where ${lastDay} order by d.created_at desc limit $2) n) as delivered,
            (select count(*)::integer from (
               select from deliveries d
                where ${lastDay} and d.given_up = 'failed' and d.event_type <> 'ping' limit $2) n) as failed,
            (select count(*)::integer from (
               select from delivery_queue q
                where q.endpoint_id = e.id and q.scheduled_at is not null and not q.ping limit $2) n) as pending
       from unnest($1::text[]) as e (id)`,
    [endpointIds, max],
  );
}

/** Saves the new URL and events of an endpoint. */
export async function saveEndpoint(
  transaction: Queryable,
  endpoint: { id: string; url: string; events: readonly string[] },
): Promise<void> {
  await transaction.execute('update webhook_endpoints set url = $2, events = $3 where id = $1', [
    endpoint.id,
    endpoint.url,
    endpoint.events,
  ]);
}

/** Forgets an endpoint's failures: the new URL was never tried, so earlier failures do not count for it. */
export async function forgetFailures(transaction: Queryable, endpointId: string): Promise<void> {
  await transaction.execute(
    `update endpoint_turns set state = 'untried', failing_since = null where endpoint_id = $1`,
    [endpointId],
  );
}

/** Pauses or resumes an endpoint. */
export async function setPaused(transaction: Queryable, endpointId: string, paused: boolean): Promise<void> {
  await transaction.execute(
    'update webhook_endpoints set paused_at = case when $2 then clock() end where id = $1',
    [endpointId, paused],
  );
  // The deliverers look at waiting deliveries again; while the endpoint is paused they find only pings.
  await transaction.execute('update endpoint_turns set next_due = clock() where endpoint_id = $1', [
    endpointId,
  ]);
}

/** Marks an endpoint as deleted: nothing is written for it any more, and its secrets are erased. */
export async function markDeleted(transaction: Queryable, endpointId: string): Promise<void> {
  await transaction.execute(
    `update webhook_endpoints
        set deleted_at = clock(), secret_sealed = '', previous_secret_sealed = null, previous_secret_until = null
      where id = $1 and deleted_at is null`,
    [endpointId],
  );
  // If this process ends now, the deliverers end the remaining deliveries.
  await transaction.execute('update endpoint_turns set next_due = clock() where endpoint_id = $1', [
    endpointId,
  ]);
}

/** Ends up to `max` deliveries of a deleted endpoint. Returns how many there were. */
export async function endDeliveries(database: Database, endpointId: string, max: number): Promise<number> {
  const rows = await database.rows<{ ended: number }>('select end_deliveries($1, $2) as ended', [
    endpointId,
    max,
  ]);
  return rows[0]?.ended ?? 0;
}

export type SecretRow = { secret_sealed: string; previous_until: Date | null };

/** Returns the encrypted secret of an endpoint, and the time until which the previous one also signs. */
export async function selectSecret(
  transaction: Queryable,
  endpointId: string,
): Promise<SecretRow | undefined> {
  const rows = await transaction.rows<SecretRow>(
    `select secret_sealed,
            case when previous_secret_until > clock() then previous_secret_until end as previous_until
       from webhook_endpoints where id = $1 and deleted_at is null`,
    [endpointId],
  );
  return rows[0];
}

/** Replaces the secret. The old one stays valid for `overlapSeconds`. */
export async function replaceSecret(
  transaction: Queryable,
  endpointId: string,
  encryptedSecret: string,
  overlapSeconds: number,
): Promise<void> {
  await transaction.execute(
    `update webhook_endpoints
        set secret_sealed = $2, previous_secret_sealed = secret_sealed,
            previous_secret_until = clock() + $3 * interval '1 second'
      where id = $1`,
    [endpointId, encryptedSecret, overlapSeconds],
  );
}

/** Returns the ids of an account's endpoints. */
export async function selectEndpointIds(database: Database, accountId: string): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    'select id from webhook_endpoints where account_id = $1 and deleted_at is null',
    [accountId],
  );
  return rows.map(({ id }) => id);
}
