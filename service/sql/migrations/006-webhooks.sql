-- Webhooks: who is told of events, and what of it is still to be sent.

-- A ping is an event like the others, but of no generation or upload: its subject is the event itself.
alter table events drop constraint events_type_check;
alter table events add constraint events_type_check
  check (type in ('generation.succeeded', 'generation.failed', 'upload.ready', 'upload.rejected', 'ping'));

create table webhook_endpoints (
  id text primary key,
  account_id text not null references accounts on delete cascade,
  url text not null,
  events text[] not null,
  secret_sealed text not null,
  -- The secret before the last rotation signs too until then.
  previous_secret_sealed text,
  previous_secret_until timestamptz,
  created_at timestamptz not null default clock(),
  paused_at timestamptz,
  -- Its deliveries can still be looked at; the secrets are gone.
  deleted_at timestamptz,

  check ((previous_secret_sealed is null) = (previous_secret_until is null))
);

-- Asked by every outcome, and as a rule it has nothing to say: small, and all that is asked stands in it.
create index webhook_endpoints_told on webhook_endpoints (account_id) include (id, events)
  where paused_at is null and deleted_at is null;
create index webhook_endpoints_of_account on webhook_endpoints (account_id, created_at, id);

-- The record of one event's way to one endpoint.
create table deliveries (
  id text primary key,
  endpoint_id text not null references webhook_endpoints on delete cascade,
  account_id text not null,
  event_id text not null references events on delete cascade,
  event_type text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed', 'ended')),
  -- Of the schedule, ended; extra ones do not count.
  attempts integer not null default 0,
  -- All that were begun, those cut off by a crash and extra ones included.
  tries integer not null default 0,
  last_status integer,
  last_failure text,
  last_attempt_at timestamptz,
  created_at timestamptz not null,
  -- When it was delivered, failed or ended.
  completed_at timestamptz,

  unique (event_id, endpoint_id),
  check ((status = 'pending') = (completed_at is null))
);

create index deliveries_newest on deliveries (account_id, created_at desc, id desc);
create index deliveries_newest_of_endpoint on deliveries (endpoint_id, created_at desc, id desc);
-- What one looks for, few among many.
create index deliveries_undelivered on deliveries (endpoint_id, status, created_at desc, id desc)
  where status <> 'delivered';
create index deliveries_by_time on deliveries using brin (created_at);

-- Only what is still to be sent: a row is written with its delivery and goes when nothing is left to do.
create table delivery_queue (
  delivery_id text primary key references deliveries on delete cascade,
  endpoint_id text not null,
  ping boolean not null,
  -- When the next attempt of the schedule is due; null where the schedule is over.
  scheduled_at timestamptz,
  -- A person asked for an extra attempt.
  resend_at timestamptz,
  -- From when it may be claimed: what is due first, or the end of the lease while it is claimed.
  claim_at timestamptz not null,
  attempts integer not null default 0,
  -- Raised by each claim; whoever holds an older number writes nothing.
  tries integer not null default 0,
  lease_owner text,
  lease_until timestamptz,

  check ((lease_owner is null) = (lease_until is null))
) with (fillfactor = 70);

create index delivery_queue_due on delivery_queue (endpoint_id, claim_at, delivery_id);
create index delivery_queue_pings on delivery_queue (endpoint_id, claim_at, delivery_id) where ping;
create index delivery_queue_claimed on delivery_queue (endpoint_id, lease_until) where lease_until is not null;

-- Whose turn it is. Whatever touches an endpoint's queue locks its row here first, several in the order of their ids,
-- and looks at the queue after: so next_due may be too early (it costs a look) and is never too late.
create table endpoint_turns (
  endpoint_id text primary key references webhook_endpoints on delete cascade,
  account_id text not null,
  next_due timestamptz,
  last_served_at timestamptz,
  state text not null default 'untried' check (state in ('untried', 'healthy', 'failing')),
  -- Since when every attempt failed.
  failing_since timestamptz,

  check ((state = 'failing') = (failing_since is not null))
) with (fillfactor = 50);

create index endpoint_turns_due on endpoint_turns (next_due) where state <> 'failing';
create index endpoint_turns_failing on endpoint_turns (next_due) where state = 'failing';

-- One request to an endpoint: written before it leaves, completed with what came of it.
create table delivery_attempts (
  delivery_id text not null references deliveries on delete cascade,
  -- Counts claims. One that was cut off by a crash is made again under a new `try` and the same `number`.
  try integer not null,
  -- Its place in the schedule, from 1; null: an extra attempt.
  number integer,
  started_at timestamptz not null,
  -- Null: under way.
  ended_at timestamptz,
  duration_ms integer,
  -- The status line's code, if one came.
  status integer,
  -- Why it was no success; null: it was one, or is under way.
  failure text,
  -- How the answer's body begins, as text.
  answer text,
  primary key (delivery_id, try)
);

create index delivery_attempts_by_time on delivery_attempts using brin (started_at);

-- The time of the event's id, and 80 random bits, as any id of ours.
create function new_delivery_id(p_event_id text) returns text language sql volatile as $$
  select 'dlv_' || substr(p_event_id, 5, 10) ||
         (select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (get_byte(bytes, i) & 31), 1), '')
            from sha256(uuid_send(gen_random_uuid())) as bytes, generate_series(0, 15) as i)
$$;

-- Writes an event, once per subject, with a delivery for each endpoint of the account that is active and subscribed
-- now. Answers how many deliveries; wake the deliverers after the commit if there are any. May be called from within
-- another statement.
create function write_event(
  p_event_id text,
  p_account_id text,
  p_type text,
  p_subject_id text,
  p_body text,
  p_at timestamptz
) returns integer
language sql volatile
as $$
  with event as (
    insert into events (id, account_id, type, subject_id, body, created_at)
      values (p_event_id, p_account_id, p_type, p_subject_id, p_body, p_at)
  ), delivery as (
    insert into deliveries (id, endpoint_id, account_id, event_id, event_type, created_at)
      select new_delivery_id(p_event_id), e.id, p_account_id, p_event_id, p_type, p_at
        from webhook_endpoints e
       where e.account_id = p_account_id and e.paused_at is null and e.deleted_at is null
         and p_type = any (e.events)
    returning id, endpoint_id
  ), queued as (
    insert into delivery_queue (delivery_id, endpoint_id, ping, scheduled_at, claim_at)
      select id, endpoint_id, false, p_at, p_at from delivery
  ), turn as (
    insert into endpoint_turns as t (endpoint_id, account_id, next_due)
      select endpoint_id, p_account_id, p_at from delivery order by endpoint_id
    on conflict (endpoint_id) do update set next_due = least(t.next_due, excluded.next_due)
  )
  select count(*)::integer from delivery
$$;

-- Writes a ping to one endpoint, whatever it subscribes to, paused or not. Answers the delivery's id; null where there
-- is no such endpoint.
create function write_ping(p_event_id text, p_endpoint_id text, p_body text, p_at timestamptz) returns text
language sql volatile
as $$
  with endpoint as (
    select id, account_id from webhook_endpoints where id = p_endpoint_id and deleted_at is null
  ), event as (
    insert into events (id, account_id, type, subject_id, body, created_at)
      select p_event_id, account_id, 'ping', p_event_id, p_body, p_at from endpoint
  ), delivery as (
    insert into deliveries (id, endpoint_id, account_id, event_id, event_type, created_at)
      select new_delivery_id(p_event_id), id, account_id, p_event_id, 'ping', p_at from endpoint
    returning id, endpoint_id, account_id
  ), queued as (
    insert into delivery_queue (delivery_id, endpoint_id, ping, scheduled_at, claim_at)
      select id, endpoint_id, true, p_at, p_at from delivery
  ), turn as (
    insert into endpoint_turns as t (endpoint_id, account_id, next_due)
      select endpoint_id, account_id, p_at from delivery
    on conflict (endpoint_id) do update set next_due = least(t.next_due, excluded.next_due)
  )
  select id from delivery
$$;
