-- Generations: the record a client sees, the queue they wait in, and the money they commit.

create table generations (
  id text primary key,
  account_id text not null references accounts on delete cascade,
  key_id text not null,
  kind text not null check (kind in ('image', 'image_edit', 'video', 'video_extend')),
  lane text not null check (lane in ('image', 'edit', 'video')),
  status text not null check (status in ('queued', 'running', 'succeeded', 'failed', 'canceled')),
  model text not null,
  project_id text,
  cost_millicredits bigint not null check (cost_millicredits >= 0),
  expected_outputs integer not null,
  -- JSON as text: it is written once and handed out as it is, never looked into.
  outputs text not null default '[]',
  metadata text not null default '{}',
  error_code text,
  error_message text,
  prompt_id text,
  created_at timestamptz not null default clock(),
  submitted_at timestamptz,
  completed_at timestamptz,
  -- The day (UTC) whose budget row counts the cost, so that a failure next day frees the right one.
  budget_day date not null,

  idempotency_key text,
  -- SHA-256 over method, path and canonical body.
  fingerprint bytea,

  -- Waiting for an upload or an import: others pass it.
  blocked boolean not null default false,
  -- Claimed for submit, or running: it fills a place in the account's limits.
  holds_slot boolean not null default false,
  -- Raised by each claim; whoever holds an older number writes nothing.
  attempt integer not null default 0,
  lease_owner text,
  lease_until timestamptz,
  -- Set before the first submit leaves: from then on the studio may know the token.
  submit_sent_at timestamptz,
  -- The studio's ledger entry that charged it.
  charge_ledger_seq bigint,
  -- When the studio last said anything about it; the sweep asks about those long unheard of.
  heard_at timestamptz,

  check (status <> 'running' or holds_slot),
  check (status in ('queued', 'running') or not holds_slot),
  check ((status in ('queued', 'running')) = (completed_at is null))
);

create unique index generations_by_idempotency_key on generations (account_id, idempotency_key)
  where idempotency_key is not null;

-- Lists: newest first, an index for each filter, ids by an index-only scan.
create index generations_newest on generations (account_id, created_at desc, id desc);
create index generations_newest_by_status on generations (account_id, status, created_at desc, id desc)
  include (kind);
create index generations_newest_by_kind on generations (account_id, kind, created_at desc, id desc);

-- The queue: only what waits.
create index generations_waiting on generations (account_id, lane, blocked, created_at, id)
  where status = 'queued' and not holds_slot;
-- What fills places, few per account.
create index generations_in_flight on generations (account_id, lane) include (status, lease_until)
  where holds_slot;
-- Leases to take over, and running jobs to ask about.
create index generations_leased on generations (lease_until) where status = 'queued' and holds_slot;
create index generations_running on generations (heard_at) where status = 'running';
-- The oldest that wait, whatever their account: for the age limit.
create index generations_oldest_waiting on generations (created_at) where status = 'queued';
-- Charges later than a balance at hand.
create index generations_by_charge on generations (account_id, charge_ledger_seq) include (cost_millicredits)
  where charge_ledger_seq is not null and status in ('running', 'succeeded');
-- Submits whose outcome is not known.
create index generations_in_doubt on generations (account_id)
  where submit_sent_at is not null and charge_ledger_seq is null and status = 'queued';
-- What settled lately, for long polls whose notification was lost.
create index generations_completed on generations (completed_at) include (id) where completed_at is not null;

-- The request's text lies apart: written once, read by submit, never by lists or claims.
create table generation_requests (
  generation_id text primary key references generations on delete cascade,
  -- What goes to the studio, as JSON.
  render_request text not null,
  quote text not null,
  -- The body of the 202 as sent: a replay answers it byte for byte. Kept where an Idempotency-Key came with it.
  accepted_body text
);

-- Credits committed per key and UTC day, budget or not.
create table budget_days (
  key_id text not null,
  day date not null,
  committed_millicredits bigint not null check (committed_millicredits >= 0),
  primary key (key_id, day)
) with (fillfactor = 50);

-- One row per outcome, written in the outcome's transaction, its bytes frozen.
create table events (
  id text primary key,
  account_id text not null references accounts on delete cascade,
  type text not null check (type in ('generation.succeeded', 'generation.failed', 'upload.ready', 'upload.rejected')),
  subject_id text not null,
  body text not null,
  created_at timestamptz not null default clock(),
  -- An outcome has one event, whatever its type.
  unique (subject_id)
);

create index events_of_account on events (account_id, created_at desc);
-- For their removal in time: written in order, so that a summary of each range of pages is enough.
create index events_by_time on events using brin (created_at);

-- Who follows an account's feed at the studio, and up to where it was applied.
create table watches (
  account_id text primary key references accounts on delete cascade,
  cursor bigint not null default 0,
  -- Watched until five minutes after its last job.
  watch_until timestamptz not null,
  owner text,
  lease_until timestamptz
) with (fillfactor = 50);

create index watches_until on watches (watch_until);

-- Changes that could not be applied: recorded and passed by, so that one of them stops nobody.
create table unapplied_changes (
  account_id text not null references accounts on delete cascade,
  seq bigint not null,
  token text not null,
  content text not null,
  reason text not null,
  created_at timestamptz not null default clock(),
  primary key (account_id, seq)
);
