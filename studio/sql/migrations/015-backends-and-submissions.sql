-- Machines and services that render, and what was sent to them. Every submission is a committed row before it is sent, so
-- that whoever comes after a crash finds the same job and none is bought twice. Renders wait in their own table, and a
-- slot of a backend claims the next one that it can do.
-- release: 2

create table backends (
  name text primary key,
  engine text not null,
  url text,
  -- Encrypted; written once and never read back.
  secret text,
  -- Names and values as JSON, encrypted as a whole: a value may be a secret.
  headers text,
  -- Runs in the workers' own processes: its slots are those of each worker.
  is_local boolean not null generated always as (engine in ('procedural', 'sandbox', 'command')) stored,
  -- Jobs at once. Null: as many as the worker makes at once.
  slots integer check (slots between 1 and 1000),
  check (is_local or slots is not null and url is not null),
  labels text[] not null default '{}',
  built_in boolean not null default false,
  wanted text not null default 'on' check (wanted in ('on', 'draining', 'off')),
  wanted_since timestamptz not null default clock(),
  -- Until when what runs may go on while it drains.
  drain_until timestamptz,
  up boolean not null default true,
  up_since timestamptz not null default clock(),
  -- Faults in a row, and since and until when it rests for them; 'infinity': until an operator or a good probe.
  failures integer not null default 0,
  closed_since timestamptz,
  closed_until timestamptz,
  reason text,
  -- {at, code, message, blame}.
  last_fault jsonb,
  -- The affinity of what was sent last.
  loaded text,
  version text,
  vram_bytes bigint,
  probe_digest text,
  -- Probes in a row that failed; one alone says little.
  failed_probes integer not null default 0,
  next_probe_at timestamptz not null default clock(),
  -- When its routes are checked again, and of which state of the catalog they were checked last.
  next_check_at timestamptz not null default clock(),
  checked_revision bigint not null default 0,
  max_cost_per_day numeric(12, 4),
  currency text,
  allow_loss boolean not null default false,
  file_digest text,
  created_at timestamptz not null default clock()
);

-- What the product draws by itself.
insert into backends (name, engine, built_in) values ('procedural', 'procedural', true), ('sandbox', 'sandbox', true);

create table route_fits (
  backend text not null references backends on delete cascade,
  model_id text not null,
  version integer not null,
  route integer not null,
  fits boolean not null,
  problems jsonb not null default '[]',
  checked_at timestamptz not null default clock(),
  -- Measured: seconds of a run with the weights loaded, and with loading them.
  run_seconds real,
  first_seconds real,
  primary key (backend, model_id, version, route),
  foreign key (model_id, version, route) references routes
);
create index route_fits_of_route on route_fits (model_id, version, route);

create table submissions (
  -- Sent to the engine as its id wherever it takes one.
  id uuid primary key,
  -- Null: a sample, which no account asked for.
  render_id text references renders on delete cascade,
  -- The render's attempt that last took it up: the fence.
  attempt integer not null,
  backend text not null,
  model_id text not null,
  version integer not null,
  route integer not null,
  -- Of the outputs of its render: the first, 0-based, and how many.
  first_output integer not null,
  outputs integer not null check (outputs > 0),
  state text not null default 'intended'
    check (state in ('intended', 'sent', 'lost', 'done', 'failed', 'canceled')),
  -- Whose fault it was.
  blame text check (blame in ('backend', 'pair', 'render')),
  error jsonb,
  handle jsonb,
  -- Rows of what it made, as they will stand in the library.
  made jsonb,
  -- The worker process that is at it.
  owner text,
  lease_until timestamptz not null,
  created_at timestamptz not null default clock(),
  sent_at timestamptz,
  -- Since when its fate is unknown.
  lost_at timestamptz,
  ended_at timestamptz,
  -- Seconds that the engine worked at it, as far as they are known, and whether it had to load other weights first.
  run_seconds real,
  swapped boolean not null default false,
  -- Of the provider: reserved before it is sent, corrected when the bill is known. Null: it costs nothing.
  cost numeric(12, 6),
  cost_day date
);
create index submissions_live on submissions (backend) where state in ('intended', 'sent', 'lost');
create index submissions_leases on submissions (lease_until) where state in ('intended', 'sent', 'lost');
create index submissions_of on submissions (render_id);
-- One job of a render at a time.
create unique index submissions_one_live on submissions (render_id) where state in ('intended', 'sent', 'lost');

-- What was spent at providers by UTC day: reserved with the claim, corrected with the bill.
create table provider_costs (
  backend text not null,
  day date not null,
  currency text not null,
  reserved numeric(14, 6) not null default 0,
  spent numeric(14, 6) not null default 0,
  jobs integer not null default 0,
  primary key (backend, day)
);

-- What a credit is worth: by this the guard compares a provider's cost with a render's price.
create table credit_value (
  one boolean primary key default true check (one),
  currency text not null,
  per_credit numeric(12, 6) not null check (per_credit > 0)
);
insert into credit_value (currency, per_credit) values ('USD', 0.01);

alter table renders
  -- What a route may ask of it and its cost depend on: {kind, mode, has, options, pixels, seconds}.
  add column shape jsonb,
  -- When it is its turn, by fairness. Null: accepted by a release whose renders have jobs in a queue.
  add column tag timestamptz,
  add column not_before timestamptz,
  -- Outputs that ended submissions have made.
  add column outputs_done integer not null default 0,
  add column seed bigint;

alter table accounts
  add column next_tag timestamptz not null default '-infinity',
  -- The plan's weight.
  add column share real not null default 1;
