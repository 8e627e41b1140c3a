-- Models, plans, styles and suggestions become rows with versions: they are published in one transaction, every process
-- follows within two seconds, and an older version is published again to go back. What is there is never changed.
-- release: 2
-- contracts: a check of the plan's key; the release before writes none but the three that it knows.

create table models (
  id text primary key,
  -- The order of lists.
  position integer generated always as identity,
  -- What is offered; null: a draft that was never published, or retired.
  published_version integer,
  -- The newest version, published or not.
  newest_version integer not null,
  retired_at timestamptz,
  -- Ships with the product, and is published anew by a newer release where nobody changed it.
  built_in boolean not null default false,
  -- Since when no backend can serve it, and why, in an operator's words. Null: it can be served.
  paused_since timestamptz,
  paused_reason text,
  -- Digest of the input file that a start applied last, and the version that it made: a row changed since is left alone.
  file_digest text,
  file_version integer,
  created_at timestamptz not null default clock()
);

create table model_versions (
  model_id text not null references models,
  version integer not null,
  -- Of the manifest and its files: the same content makes no new version.
  digest text not null,
  -- As text, because the order of some keys means something: the first size of videos is the default.
  manifest json not null,
  -- As it was written, with its comments.
  source text not null,
  -- Texts by the names that the manifest gives: workflows.
  files jsonb not null default '{}',
  -- Storage key of the sample or thumbnail.
  thumbnail_key text,
  -- Seconds that the sample took.
  sample_seconds real,
  created_at timestamptz not null default clock(),
  published_at timestamptz,
  primary key (model_id, version),
  unique (model_id, digest)
);
alter table models add constraint models_published foreign key (id, published_version)
  references model_versions (model_id, version) deferrable initially deferred;

-- What the claim reads of a version: one row for each of its routes.
create table routes (
  model_id text not null,
  version integer not null,
  -- 0-based, in order of preference.
  route integer not null,
  name text not null,
  engine text not null,
  -- Names or labels of backends.
  backends text[] not null,
  -- Must be contained in the render's shape: {kind, mode, has: {image: true}, options}.
  needs jsonb not null default '{}',
  -- Media that must not be there.
  lacks text[] not null default '{}',
  affinity text,
  swap_seconds real not null default 20,
  typical_seconds real not null default 30,
  opens_after_seconds real not null default 0,
  at_once_if_none_up boolean not null default false,
  -- Of the provider; null: it costs nothing.
  cost jsonb,
  max_per_job integer not null,
  run_timeout_seconds real not null default 600,
  on_unknown text not null default 'ask' check (on_unknown in ('ask', 'fail', 'retry')),
  primary key (model_id, version, route),
  foreign key (model_id, version) references model_versions
);

-- Lists that are published whole: 'plans', 'styles', 'suggestions'.
create table catalog_lists (
  name text not null check (name in ('plans', 'styles', 'suggestions')),
  version integer not null,
  digest text not null,
  content json not null,
  created_at timestamptz not null default clock(),
  primary key (name, version)
);
create table published_lists (
  name text primary key,
  version integer not null,
  -- As of models.
  built_in boolean not null default false,
  file_digest text,
  file_version integer,
  foreign key (name, version) references catalog_lists
);

-- Grows with every publication, in its transaction: who has seen a smaller one reads the catalog again.
create table catalog_revision (
  one boolean primary key default true check (one),
  revision bigint not null default 1
);
insert into catalog_revision default values;

-- Acts of operators and administrators on models, plans, styles and backends, in the transaction of the act.
create table admin_audit (
  id text primary key,
  at timestamptz not null default clock(),
  -- `operator` at the command line, `file` and `product` at a start, or `account:ID` of an administrator.
  actor text not null,
  action text not null,
  -- `model:sdxl`, `backend:gpu1`, `plans`.
  subject text not null,
  before jsonb,
  after jsonb
);
create index admin_audit_newest on admin_audit (at desc, id desc);

-- A plan's key may be any.
alter table accounts drop constraint accounts_tier_check;
alter table accounts add column administrator boolean not null default false;

-- The version that a render was quoted on.
alter table renders add column model_version integer;
