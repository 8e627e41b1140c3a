import type { DeliveryFailure, DeliveryStatus } from '@renderkit/contract/console/schemas/delivery.ts';
import type { EventType } from '@renderkit/contract/v1/event-types.ts';
import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';

/** One attempt that this process may make until its lease ends. */
export type Claim = {
  deliveryId: string;
  endpointId: string;
  /** The number of the claim: the holder of an older claim records nothing. */
  try: number;
  /** Its number in the schedule, from 1; null for an extra attempt. */
  number: number | null;
  /** The last attempt at the endpoint failed. */
  failing: boolean;
  url: string;
  /** The endpoint's valid secrets, the newest last. */
  encryptedSecrets: string[];
  eventType: EventType;
  /** The bytes that are signed and sent; the claims of one event share them. */
  body: Buffer;
};

export type AttemptOutcome = {
  durationMs: number;
  /** The HTTP status, if a status line came. */
  status: number | null;
  /** Null for a success. */
  failure: DeliveryFailure | null;
  /** The beginning of the answer's body. */
  answer: string | null;
};

/** The claims of one body: the database returns an event's text once, however many endpoints receive it. */
type ClaimedEvent = {
  event_type: EventType;
  body: string;
  claims: ClaimValues[];
};
type ClaimValues = [
  deliveryId: string,
  attempt: number,
  number: number | null,
  endpointId: string,
  failing: boolean,
  url: string,
  secret: string,
  previousSecret: string | null,
];

/** Claims due deliveries round robin: sql/functions/claim_deliveries.sql. */
export async function claimDeliveries(
  database: Database,
  options: {
    owner: string;
    leaseMs: number;
    slots: number;
    /** How many of the slots endpoints whose last attempt failed may take. */
    failingSlots: number;
    /** Whether other endpoints may have more than one running attempt. */
    several: boolean;
  },
): Promise<Claim[]> {
  const events = await database.rows<ClaimedEvent>(
    `select event_type, body,
            json_agg(json_build_array(delivery_id, try, number, endpoint_id, failing, url, secret_sealed,
                                      previous_secret_sealed)) as claims
       from claim_deliveries($1, $2 * interval '1 millisecond', $3, $4, $5)
      group by event_type, body`,
    [options.owner, options.leaseMs, options.slots, options.failingSlots, options.several],
    'deliveries_claim',
  );
  return events.flatMap(({ event_type: eventType, body, claims }) => {
    const bytes = Buffer.from(body);
    return claims.map((values) => claimOf(values, eventType, bytes));
  });
}

function claimOf(
  [deliveryId, attempt, number, endpointId, failing, url, secret, previousSecret]: ClaimValues,
  eventType: EventType,
  body: Buffer,
): Claim {
  const encryptedSecrets = previousSecret === null ? [secret] : [previousSecret, secret];
  return { deliveryId, endpointId, try: attempt, number, failing, url, encryptedSecrets, eventType, body };
}

/**
 * Records the outcomes of attempts, each only if its claim is still valid. Returns the status of each recorded
 * delivery. `busy`: the endpoint is locked and nothing was recorded. `delaySeconds`: the schedule. With `wait` it waits
 * for locks, and all results must be of one endpoint; `busy` then means that the endpoint is gone.
 */
export async function recordAttempts(
  database: Database,
  results: readonly { claim: Claim; outcome: AttemptOutcome }[],
  { delaySeconds, wait }: { delaySeconds: readonly number[]; wait: boolean },
): Promise<Map<string, DeliveryStatus | 'busy'>> {
  const records = results.map(({ claim, outcome }) => ({
    delivery_id: claim.deliveryId,
    endpoint_id: claim.endpointId,
    try: claim.try,
    number: claim.number,
    duration_ms: outcome.durationMs,
    status: outcome.status,
    failure: outcome.failure,
    answer: outcome.answer,
  }));
  const rows = await database.rows<{ delivery_id: string; status: DeliveryStatus | 'busy' }>(
    'select delivery_id, status from record_attempts($1::json, $2::integer[], $3)',
    [JSON.stringify(records), delaySeconds, wait],
    'deliveries_record',
  );
  return new Map(rows.map(({ delivery_id: id, status }) => [id, status]));
}

/** The account whose deliveries are visible. Left out: every account's. */
export type Owner = { accountId?: string | undefined };

export type DeliveryRow = {
  id: string;
  endpoint_id: string;
  event_id: string;
  event_type: EventType;
  status: DeliveryStatus;
  attempts: number;
  last_status: number | null;
  last_failure: DeliveryFailure | null;
  last_attempt_at: Date | null;
  created_at: Date;
  completed_at: Date | null;
  next_attempt_at: Date | null;
  url: string;
};

const deliveryColumns = `d.id, d.endpoint_id, d.event_id, d.event_type, d.status, d.attempts, d.last_status,
  d.last_failure, d.last_attempt_at, d.created_at, d.completed_at, e.url,
  case when (e.paused_at is null or q.ping) and (q.lease_until is null or q.lease_until <= clock())
       then q.claim_at end as next_attempt_at`;

/** Returns deliveries, newest first. */
export function selectDeliveries(
  database: Database,
  filter: {
    accountId: string;
    endpointId?: string | undefined;
    eventId?: string | undefined;
    eventType?: EventType | undefined;
    status?: DeliveryStatus | undefined;
    limit: number;
    offset: number;
  },
): Promise<DeliveryRow[]> {
  const conditions = ['d.account_id = $1'];
  const values: unknown[] = [filter.accountId, filter.limit, filter.offset];
  if (filter.endpointId !== undefined) conditions.push(`d.endpoint_id = $${values.push(filter.endpointId)}`);
  if (filter.eventId !== undefined) conditions.push(`d.event_id = $${values.push(filter.eventId)}`);
  if (filter.eventType !== undefined) conditions.push(`d.event_type = $${values.push(filter.eventType)}`);
  if (filter.status !== undefined) conditions.push(conditionOf[filter.status]);
  return database.rows<DeliveryRow>(
    `with page as (
       select d.id, d.created_at from deliveries d where ${conditions.join(' and ')}
        order by d.created_at desc, d.id desc limit $2 offset $3
     )
     select ${deliveryColumns}
       from page p join deliveries d on d.id = p.id join webhook_endpoints e on e.id = d.endpoint_id
       left join delivery_queue q on q.delivery_id = d.id
      order by p.created_at desc, p.id desc`,
    values,
  );
}

const ownEndpoints = 'select id from webhook_endpoints where account_id = $1';
/**
 * SQL conditions for each status. Pending deliveries are in the queue; given-up ones have an index. They are constants,
 * so that the planner sees the values.
 */
const conditionOf = {
  pending: `d.status = 'pending' and d.id in (
    select delivery_id from delivery_queue where endpoint_id in (${ownEndpoints}))`,
  delivered: `d.status = 'delivered'`,
  failed: `d.given_up = 'failed' and d.endpoint_id in (${ownEndpoints})`,
  ended: `d.given_up = 'ended' and d.endpoint_id in (${ownEndpoints})`,
} as const satisfies Record<DeliveryStatus, string>;

export type AttemptRow = {
  try: number;
  number: number | null;
  started_at: Date;
  ended_at: Date | null;
  duration_ms: number | null;
  status: number | null;
  failure: DeliveryFailure | null;
  answer: string | null;
};

/** Returns a delivery with the body that is sent, and its attempts in order. */
export async function selectDelivery(
  database: Database,
  deliveryId: string,
  owner: Owner,
): Promise<{ delivery: DeliveryRow & { body: string }; attempts: AttemptRow[] } | undefined> {
  const [delivery] = await database.rows<DeliveryRow & { body: string }>(
    `select ${deliveryColumns}, v.body
       from deliveries d join webhook_endpoints e on e.id = d.endpoint_id join events v on v.id = d.event_id
       left join delivery_queue q on q.delivery_id = d.id
      where d.id = $1 and d.account_id = coalesce($2, d.account_id)`,
    [deliveryId, owner.accountId ?? null],
  );
  if (delivery === undefined) return undefined;
  const attempts = await database.rows<AttemptRow>(
    `select try, number, started_at, ended_at, duration_ms, status, failure, answer
       from delivery_attempts where delivery_id = $1
     union all
     -- An attempt in progress: its record is written with its outcome.
     select tries, claimed_number, claimed_at, null, null, null, null, null
       from delivery_queue where delivery_id = $1 and claimed_at is not null
     order by try`,
    [deliveryId],
  );
  return { delivery, attempts };
}

export type EndpointState = { account_id: string; url: string; state: 'active' | 'paused' | 'deleted' };

/** Reads the state of an endpoint before something is resent to it. */
export async function selectEndpointState(
  queryable: Queryable,
  endpointId: string,
  owner: Owner,
): Promise<EndpointState | undefined> {
  const rows = await queryable.rows<EndpointState>(
    `select account_id, url,
            case when deleted_at is not null then 'deleted' when paused_at is not null then 'paused'
                 else 'active' end as state
       from webhook_endpoints where id = $1 and account_id = coalesce($2, account_id)`,
    [endpointId, owner.accountId ?? null],
  );
  return rows[0];
}

/** Requests an extra attempt of each delivery and returns how many there were. All must belong to one endpoint. */
export async function requestResends(
  transaction: Queryable,
  endpointId: string,
  deliveryIds: readonly string[],
): Promise<number> {
  await transaction.execute('select 1 from endpoint_turns where endpoint_id = $1 for no key update', [
    endpointId,
  ]);
  const asked = await transaction.execute(
    `insert into delivery_queue as q (delivery_id, endpoint_id, ping, resend_at, claim_at, attempts, tries)
       select d.id, d.endpoint_id, d.event_type = 'ping', clock(), clock(), d.attempts, d.tries
         from deliveries d
        where d.id = any ($2) and d.endpoint_id = $1 and d.status <> 'ended'
     on conflict (delivery_id) do update
        set resend_at = excluded.resend_at,
            -- A delivery in progress is sent once more when its attempt has ended.
            claim_at = least(q.claim_at, excluded.claim_at)`,
    [endpointId, deliveryIds],
  );
  await transaction.execute(
    'update endpoint_turns set next_due = least(next_due, clock()) where endpoint_id = $1',
    [endpointId],
  );
  return asked;
}

/**
 * Returns failed deliveries of an endpoint except tests, whose event came at `since` or later, newest first, after the
 * position `below`.
 */
export function selectFailed(
  database: Database,
  filter: {
    endpointId: string;
    since: string;
    below: { createdAt: string; id: string } | null;
    limit: number;
  },
): Promise<{ id: string; created_at: string }[]> {
  return database.rows<{ id: string; created_at: string }>(
    `select id, created_at::text from deliveries
      where endpoint_id = $1 and given_up = 'failed' and event_type <> 'ping' and created_at >= $2::timestamptz
        and (created_at, id) < ($3::timestamptz, $4)
      order by created_at desc, id desc limit $5`,
    [
      filter.endpointId,
      filter.since,
      filter.below?.createdAt ?? 'infinity',
      filter.below?.id ?? '',
      filter.limit,
    ],
  );
}
