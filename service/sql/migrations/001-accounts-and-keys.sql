-- Accounts, their connection to the studio, and API keys.

-- All statements ask this clock and never now(), so that a test can move it. Stable and written in SQL, it is
-- folded into the plan: declared volatile it turned an index scan of 300,000 rows into half a second.
create function clock() returns timestamptz language sql stable as $$ select statement_timestamp() $$;

create table settings (
  name text primary key,
  value text not null
);

-- One row is what accept, claim and settle lock first. It is narrow and updated in place (no index on what moves).
create table accounts (
  id text primary key,
  -- Identity is the studio's own stored id and the account's id there (`sub`), never an address.
  studio_id text not null,
  studio_account_id text not null,
  email text,
  created_at timestamptz not null default clock(),
  deleted_at timestamptz,

  -- The studio's balance as last told, in 1/1000 credit; entries of its ledger up to balance_ledger_seq are in it.
  balance_monthly_millicredits bigint not null default 0,
  balance_lifetime_millicredits bigint not null default 0,
  balance_ledger_seq bigint not null default -1,
  -- Accepted and, as far as we know, not charged yet.
  uncharged_millicredits bigint not null default 0 check (uncharged_millicredits >= 0),

  -- Jobs that wait in our queue, per lane.
  queued_image integer not null default 0 check (queued_image >= 0),
  queued_edit integer not null default 0 check (queued_edit >= 0),
  queued_video integer not null default 0 check (queued_video >= 0),

  -- The studio's limits as last told, and what runs there that is not ours.
  limit_overall integer not null default 0,
  limit_image integer not null default 0,
  limit_edit integer not null default 0,
  limit_video integer not null default 0,
  elsewhere_overall integer not null default 0,
  elsewhere_image integer not null default 0,
  elsewhere_edit integer not null default 0,
  elsewhere_video integer not null default 0,
  limits_read_at timestamptz,
  -- Nothing is claimed for the account before this: the studio was busy or out of reach.
  dispatch_after timestamptz,
  dispatch_failures integer not null default 0,

  unique (studio_id, studio_account_id)
) with (fillfactor = 50);

create table connections (
  account_id text primary key references accounts on delete cascade,
  status text not null check (status in ('live', 'ended')),
  access_token_sealed text,
  access_expires_at timestamptz,
  refresh_token_sealed text,
  -- Raised by each refresh and each new connection: whoever holds an older number writes nothing.
  version integer not null default 1,
  refresh_owner text,
  refresh_lease_until timestamptz
);

-- Refreshes under way, or left in the middle by a process that died: few or none.
create index connections_refreshing on connections (refresh_lease_until) where refresh_owner is not null;

create table api_keys (
  id text primary key,
  account_id text not null references accounts on delete cascade,
  public_id text not null unique check (public_id ~ '^[0-9A-Za-z]{12}$'),
  secret_sha256 bytea not null check (length(secret_sha256) = 32),
  name text not null,
  scopes text[] not null,
  -- Null: no budget. 0: nothing may be spent.
  daily_budget_millicredits bigint check (daily_budget_millicredits >= 0),
  rate_limit_per_minute integer not null check (rate_limit_per_minute > 0),
  created_at timestamptz not null default clock(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);

create index api_keys_of_account on api_keys (account_id, created_at);

-- Requests counted per key and minute of the database's clock. A crash may empty it: windows are a minute long.
create unlogged table rate_windows (
  key_id text not null,
  minute timestamptz not null,
  requests integer not null,
  primary key (key_id, minute)
) with (fillfactor = 50);

create index rate_windows_by_minute on rate_windows (minute);
