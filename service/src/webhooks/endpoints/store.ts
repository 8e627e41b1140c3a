import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';
import type { SubscribableEventType } from './validate-endpoint.ts';

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

/** Inserts an endpoint unless the account is gone or has `max` of them. */
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
  // The lock makes two that would both be the last one come one after the other.
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

/** Until the transaction ends nobody else has this lock of the account; false: there is no such account. */
export async function lockAccount(transaction: Queryable, accountId: string): Promise<boolean> {
  const rowCount = await transaction.execute(
    'select 1 from accounts where id = $1 and deleted_at is null for no key update',
    [accountId],
  );
  return rowCount === 1;
}

/** Seconds until the next delivery by hand; null: it may be now. */
export type ManualSendWaits = { endpoint: number | null; account: number | null };
type SendCount = { kind: string; accountId: string; endpointId: string };

/** How long an endpoint and its account wait that may have so many deliveries by hand in any minute. */
export async function selectManualSendWaits(
  queryable: Queryable,
  send: SendCount,
  max: { endpoint: number; account: number },
): Promise<ManualSendWaits> {
  const rows = await queryable.rows<ManualSendWaits>(
    // The one that makes the limit full: when it is a minute old, the next one may be sent.
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

/** Writes down a delivery by hand. The account is locked, so that nobody else counts meanwhile. */
export async function insertManualSend(transaction: Queryable, send: SendCount): Promise<void> {
  await transaction.execute(
    'insert into manual_sends (account_id, kind, endpoint_id, sent_at) values ($1, $2, $3, clock())',
    [send.accountId, send.kind, send.endpointId],
  );
}

const endpoints = `select e.id, e.account_id, e.url, e.events, e.created_at, e.paused_at, t.failing_since
  from webhook_endpoints e join endpoint_turns t on t.endpoint_id = e.id where e.deleted_at is null`;

/** The endpoints of an account, oldest first. */
export function selectEndpoints(database: Database, accountId: string): Promise<EndpointRow[]> {
  return database.rows<EndpointRow>(`${endpoints} and e.account_id = $1 order by e.created_at, e.id`, [
    accountId,
  ]);
}

/**
 * One endpoint; undefined where the account has none of that id. Without an account: whosever it is. `lock`: nobody
 * else changes it until the transaction ends.
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
 * Deliveries of endpoints: those delivered of the newest `max` of the last 24 hours, those that failed in these, and those
 * that wait for an attempt. Tests count where they were delivered and nowhere else. No count goes further than `max`, and
 * the tests that it passes over are few (limitManualSends).
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

/** Saves what an endpoint is to be from now on. */
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

/** An endpoint that leads elsewhere was never tried there: what failed before says nothing of it. */
export async function forgetFailures(transaction: Queryable, endpointId: string): Promise<void> {
  await transaction.execute(
    `update endpoint_turns set state = 'untried', failing_since = null where endpoint_id = $1`,
    [endpointId],
  );
}

/** Pauses or resumes. */
export async function setPaused(transaction: Queryable, endpointId: string, paused: boolean): Promise<void> {
  await transaction.execute(
    'update webhook_endpoints set paused_at = case when $2 then clock() end where id = $1',
    [endpointId, paused],
  );
  // What rests is looked at again; while it is paused that finds only pings.
  await transaction.execute('update endpoint_turns set next_due = clock() where endpoint_id = $1', [
    endpointId,
  ]);
}

/** From now on nothing is written for it, and its secrets are gone. */
export async function markDeleted(transaction: Queryable, endpointId: string): Promise<void> {
  await transaction.execute(
    `update webhook_endpoints
        set deleted_at = clock(), secret_sealed = '', previous_secret_sealed = null, previous_secret_until = null
      where id = $1 and deleted_at is null`,
    [endpointId],
  );
  // Should this process end now, the deliverers end what is left.
  await transaction.execute('update endpoint_turns set next_due = clock() where endpoint_id = $1', [
    endpointId,
  ]);
}

/** Ends deliveries of a deleted endpoint, so many at most; how many there were. */
export async function endDeliveries(database: Database, endpointId: string, max: number): Promise<number> {
  const rows = await database.rows<{ ended: number }>('select end_deliveries($1, $2) as ended', [
    endpointId,
    max,
  ]);
  return rows[0]?.ended ?? 0;
}

export type SecretRow = { secret_sealed: string; previous_until: Date | null };

/** The encrypted secret of an endpoint, and until when the one before it signs too. */
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

/** Replaces the secret; the old one stays valid for so long. */
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

/** Ids of an account's endpoints. */
export async function selectEndpointIds(database: Database, accountId: string): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    'select id from webhook_endpoints where account_id = $1 and deleted_at is null',
    [accountId],
  );
  return rows.map(({ id }) => id);
}
