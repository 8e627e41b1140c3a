-- Written by tools/dump-schema.ts from a migrated database. Change migrations, not this file. Functions stand in functions/.

create table accounts (
  id text not null,
  email text,
  name text,
  username text,
  password_hash text,
  tier text not null,
  organization boolean not null default false,
  age_verified boolean not null default false,
  email_verified boolean not null default true,
  suspended boolean not null default false,
  region_blocked boolean not null default false,
  monthly_millicredits bigint not null default 0,
  lifetime_millicredits bigint not null default 0,
  allowance_millicredits bigint not null,
  refill_anchor timestamp with time zone not null,
  last_refill_at timestamp with time zone not null,
  next_refill_at timestamp with time zone not null,
  ledger_seq bigint not null default 0,
  change_seq bigint not null default 0,
  change_floor bigint not null default 0,
  limit_image integer not null,
  limit_edit integer not null,
  limit_video integer not null,
  limit_overall integer not null,
  styles_version integer not null default 0,
  next_fault text,
  created_at timestamp with time zone not null default clock(),
  deleted_at timestamp with time zone,
  erased_at timestamp with time zone,
  uploads_bytes bigint not null default 0,
  outputs_bytes bigint not null default 0,
  limit_storage_bytes bigint not null default '2147483648'::bigint,
  storage_override_bytes bigint,
  password_version integer not null default 0,
  administrator boolean not null default false,
  next_tag timestamp with time zone not null default '-infinity'::timestamp with time zone,
  share real not null default 1,
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_allowance_millicredits_check CHECK (allowance_millicredits >= 0),
  constraint accounts_lifetime_millicredits_check CHECK (lifetime_millicredits >= 0),
  constraint accounts_limit_storage_bytes_check CHECK (limit_storage_bytes >= 0),
  constraint accounts_monthly_millicredits_check CHECK (monthly_millicredits >= 0),
  constraint accounts_next_fault_check CHECK (next_fault = ANY (ARRAY['nonsense'::text, 'rate'::text, 'concurrency'::text, 'silence'::text])),
  constraint accounts_outputs_bytes_check CHECK (outputs_bytes >= 0),
  constraint accounts_storage_override_bytes_check CHECK (storage_override_bytes >= 0),
  constraint accounts_uploads_bytes_check CHECK (uploads_bytes >= 0)
);
CREATE UNIQUE INDEX accounts_email ON public.accounts USING btree (lower(email)) WHERE (email IS NOT NULL);
CREATE INDEX accounts_refill ON public.accounts USING btree (next_refill_at) WHERE (deleted_at IS NULL);
CREATE INDEX accounts_to_erase ON public.accounts USING btree (deleted_at) WHERE ((deleted_at IS NOT NULL) AND (erased_at IS NULL));

create table admin_audit (
  id text not null,
  at timestamp with time zone not null default clock(),
  actor text not null,
  action text not null,
  subject text not null,
  before jsonb,
  after jsonb,
  constraint admin_audit_pkey PRIMARY KEY (id)
);
CREATE INDEX admin_audit_newest ON public.admin_audit USING btree (at DESC, id DESC);
CREATE INDEX admin_audit_of ON public.admin_audit USING btree (subject, at DESC, id DESC);

create table assets (
  id text not null,
  account_id text not null,
  project_id text,
  render_id text,
  "position" integer,
  type text not null,
  generation_type text,
  storage_key text not null,
  thumb_key text,
  content_type text not null,
  size_bytes bigint not null,
  width integer,
  height integer,
  duration double precision,
  aspect_ratio text,
  nsfw boolean not null default false,
  favorite boolean not null default false,
  prompt_id text,
  created_at timestamp with time zone not null default clock(),
  prompt text,
  words tsvector generated always as ((to_tsvector('simple'::regconfig, COALESCE(prompt, ''::text)) || array_to_tsvector(ARRAY[account_id]))) stored,
  frame_video_id text,
  frame_time_ms bigint,
  seed bigint,
  model_version integer,
  backend text,
  run_seconds real,
  constraint assets_pkey PRIMARY KEY (id),
  constraint assets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint assets_type_check CHECK (type = ANY (ARRAY['image'::text, 'video'::text]))
);
CREATE INDEX assets_favorite ON public.assets USING btree (account_id, created_at DESC, id DESC) WHERE favorite;
CREATE INDEX assets_newest ON public.assets USING btree (account_id, created_at DESC, id DESC);
CREATE INDEX assets_of_project ON public.assets USING btree (project_id, created_at DESC, id DESC) WHERE (project_id IS NOT NULL);
CREATE UNIQUE INDEX assets_of_render ON public.assets USING btree (render_id, "position") WHERE (render_id IS NOT NULL);
CREATE INDEX assets_of_type ON public.assets USING btree (account_id, type, created_at DESC, id DESC);
CREATE UNIQUE INDEX assets_saved_frame ON public.assets USING btree (project_id, frame_video_id, frame_time_ms) WHERE ((project_id IS NOT NULL) AND (frame_video_id IS NOT NULL));
CREATE INDEX assets_words ON public.assets USING gin (words);
CREATE TRIGGER assets_count_added AFTER INSERT ON public.assets REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_assets();
CREATE TRIGGER assets_count_removed AFTER DELETE ON public.assets REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_assets();

create table audit_entries (
  id text not null,
  at timestamp with time zone not null default clock(),
  account_id text not null,
  actor text not null,
  action text not null,
  address text,
  constraint audit_entries_pkey PRIMARY KEY (id),
  constraint audit_entries_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint audit_entries_actor_check CHECK (actor = ANY (ARRAY['person'::text, 'link'::text, 'operator'::text]))
);
CREATE INDEX audit_entries_of_account ON public.audit_entries USING btree (account_id, at DESC, id DESC);

create table backends (
  name text not null,
  engine text not null,
  url text,
  secret text,
  headers text,
  is_local boolean not null generated always as ((engine = ANY (ARRAY['procedural'::text, 'sandbox'::text, 'command'::text]))) stored,
  slots integer,
  labels text[] not null default '{}'::text[],
  built_in boolean not null default false,
  wanted text not null default 'on'::text,
  wanted_since timestamp with time zone not null default clock(),
  drain_until timestamp with time zone,
  up boolean not null default true,
  up_since timestamp with time zone not null default clock(),
  failures integer not null default 0,
  closed_since timestamp with time zone,
  closed_until timestamp with time zone,
  reason text,
  last_fault jsonb,
  loaded text,
  version text,
  vram_bytes bigint,
  probe_digest text,
  failed_probes integer not null default 0,
  next_probe_at timestamp with time zone not null default clock(),
  next_check_at timestamp with time zone not null default clock(),
  checked_revision bigint not null default 0,
  max_cost_per_day numeric(12,4),
  currency text,
  allow_loss boolean not null default false,
  file_digest text,
  created_at timestamp with time zone not null default clock(),
  constraint backends_pkey PRIMARY KEY (name),
  constraint backends_check CHECK (is_local OR slots IS NOT NULL AND url IS NOT NULL),
  constraint backends_slots_check CHECK (slots >= 1 AND slots <= 1000),
  constraint backends_wanted_check CHECK (wanted = ANY (ARRAY['on'::text, 'draining'::text, 'off'::text]))
);

create table catalog_lists (
  name text not null,
  version integer not null,
  digest text not null,
  content json not null,
  created_at timestamp with time zone not null default clock(),
  constraint catalog_lists_pkey PRIMARY KEY (name, version),
  constraint catalog_lists_name_check CHECK (name = ANY (ARRAY['plans'::text, 'styles'::text, 'suggestions'::text]))
);

create table catalog_revision (
  one boolean not null default true,
  revision bigint not null default 1,
  constraint catalog_revision_pkey PRIMARY KEY (one),
  constraint catalog_revision_one_check CHECK (one)
);

create table changes (
  account_id text not null,
  seq bigint not null,
  type text not null,
  token text not null,
  render json,
  created_at timestamp with time zone not null default clock(),
  upload json,
  constraint changes_pkey PRIMARY KEY (account_id, seq),
  constraint changes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint changes_type_check CHECK (type = ANY (ARRAY['render'::text, 'upload'::text]))
);
CREATE INDEX changes_age ON public.changes USING btree (created_at);

create table credit_value (
  one boolean not null default true,
  currency text not null,
  per_credit numeric(12,6) not null,
  constraint credit_value_pkey PRIMARY KEY (one),
  constraint credit_value_one_check CHECK (one),
  constraint credit_value_per_credit_check CHECK (per_credit > 0::numeric)
);

create table deleted_uploads (
  account_id text not null,
  token text not null,
  deleted_at timestamp with time zone not null default clock(),
  constraint deleted_uploads_pkey PRIMARY KEY (account_id, token),
  constraint deleted_uploads_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX deleted_uploads_age ON public.deleted_uploads USING btree (deleted_at);

create table frames (
  video_id text not null,
  time_ms bigint not null,
  storage_key text not null,
  width integer not null,
  height integer not null,
  size_bytes bigint not null,
  created_at timestamp with time zone not null default clock(),
  kept_until timestamp with time zone not null default (clock() + '2 days'::interval),
  constraint frames_pkey PRIMARY KEY (video_id, time_ms),
  constraint frames_video_id_fkey FOREIGN KEY (video_id) REFERENCES assets(id)
);
CREATE INDEX frames_expiry ON public.frames USING btree (kept_until);
CREATE TRIGGER frames_count_added AFTER INSERT ON public.frames REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_frames();
CREATE TRIGGER frames_count_removed AFTER DELETE ON public.frames REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_frames();

create table ledger (
  account_id text not null,
  seq bigint not null,
  kind text not null,
  bucket text not null,
  amount_millicredits bigint not null,
  balance_after_millicredits bigint not null,
  token text,
  created_at timestamp with time zone not null default clock(),
  constraint ledger_pkey PRIMARY KEY (account_id, seq),
  constraint ledger_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint ledger_balance_after_millicredits_check CHECK (balance_after_millicredits >= 0),
  constraint ledger_bucket_check CHECK (bucket = ANY (ARRAY['monthly'::text, 'lifetime'::text])),
  constraint ledger_check CHECK (
CASE kind
    WHEN 'charge'::text THEN amount_millicredits < 0
    WHEN 'expiry'::text THEN amount_millicredits < 0
    WHEN 'refund'::text THEN amount_millicredits > 0
    WHEN 'adjustment'::text THEN true
    ELSE amount_millicredits >= 0
END),
  constraint ledger_check1 CHECK ((token IS NOT NULL) = (kind = ANY (ARRAY['charge'::text, 'refund'::text]))),
  constraint ledger_kind_check CHECK (kind = ANY (ARRAY['opening'::text, 'grant'::text, 'charge'::text, 'refund'::text, 'adjustment'::text, 'expiry'::text]))
);
CREATE UNIQUE INDEX ledger_one_charge ON public.ledger USING btree (account_id, token, bucket) WHERE (kind = 'charge'::text);
CREATE UNIQUE INDEX ledger_one_refund ON public.ledger USING btree (account_id, token, bucket) WHERE (kind = 'refund'::text);
CREATE TRIGGER ledger_is_append_only BEFORE DELETE OR UPDATE ON public.ledger FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table loose_folders (
  folder text not null,
  remove_after timestamp with time zone not null,
  removing boolean not null default false,
  account_id text,
  reserved_bytes bigint not null default 0,
  constraint loose_folders_pkey PRIMARY KEY (folder),
  constraint loose_folders_reserved_bytes_check CHECK (reserved_bytes >= 0)
);
CREATE INDEX loose_folders_due ON public.loose_folders USING btree (remove_after);
CREATE INDEX loose_folders_reserved ON public.loose_folders USING btree (account_id) WHERE (account_id IS NOT NULL);

create table model_versions (
  model_id text not null,
  version integer not null,
  digest text not null,
  manifest json not null,
  source text not null,
  files jsonb not null default '{}'::jsonb,
  thumbnail_key text,
  sample_seconds real,
  created_at timestamp with time zone not null default clock(),
  published_at timestamp with time zone,
  imported jsonb,
  same_as integer,
  constraint model_versions_pkey PRIMARY KEY (model_id, version),
  constraint model_versions_model_id_digest_key UNIQUE (model_id, digest),
  constraint model_versions_model_id_fkey FOREIGN KEY (model_id) REFERENCES models(id)
);

create table models (
  id text not null,
  "position" integer not null generated always as identity,
  published_version integer,
  newest_version integer not null,
  retired_at timestamp with time zone,
  built_in boolean not null default false,
  paused_since timestamp with time zone,
  paused_reason text,
  file_digest text,
  file_version integer,
  created_at timestamp with time zone not null default clock(),
  pause_asked text,
  constraint models_pkey PRIMARY KEY (id),
  constraint models_published FOREIGN KEY (id, published_version) REFERENCES model_versions(model_id, version) DEFERRABLE INITIALLY DEFERRED
);

create table oidc_payloads (
  model text not null,
  id text not null,
  payload jsonb not null,
  grant_id text,
  account_id text,
  client_id text,
  uid text,
  user_code text,
  expires_at timestamp with time zone,
  consumed_at timestamp with time zone,
  consumed_again_at timestamp with time zone,
  constraint oidc_payloads_pkey PRIMARY KEY (model, id)
);
CREATE INDEX oidc_payloads_expiry ON public.oidc_payloads USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX oidc_payloads_grant ON public.oidc_payloads USING btree (grant_id) WHERE (grant_id IS NOT NULL);
CREATE INDEX oidc_payloads_live_grants ON public.oidc_payloads USING btree (account_id, client_id) WHERE (model = 'Grant'::text);
CREATE INDEX oidc_payloads_sessions ON public.oidc_payloads USING btree (account_id) WHERE (model = 'Session'::text);
CREATE INDEX oidc_payloads_uid ON public.oidc_payloads USING btree (uid) WHERE (uid IS NOT NULL);
CREATE INDEX oidc_payloads_used ON public.oidc_payloads USING btree (grant_id, COALESCE(((payload ->> 'rotations'::text))::integer, 0)) WHERE ((model = 'RefreshToken'::text) AND (consumed_at IS NOT NULL));

create table password_resets (
  account_id text not null,
  token_hash text not null,
  created_at timestamp with time zone not null default clock(),
  expires_at timestamp with time zone not null,
  constraint password_resets_pkey PRIMARY KEY (account_id),
  constraint password_resets_token_hash_key UNIQUE (token_hash),
  constraint password_resets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX password_resets_expiry ON public.password_resets USING btree (expires_at);

create table projects (
  id text not null,
  account_id text not null,
  title text not null,
  is_api boolean not null default false,
  created_at timestamp with time zone not null default clock(),
  updated_at timestamp with time zone not null default clock(),
  constraint projects_pkey PRIMARY KEY (id),
  constraint projects_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX projects_newest ON public.projects USING btree (account_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX projects_one_api ON public.projects USING btree (account_id) WHERE is_api;

create table provider_costs (
  backend text not null,
  day date not null,
  currency text not null,
  reserved numeric(14,6) not null default 0,
  spent numeric(14,6) not null default 0,
  jobs integer not null default 0,
  constraint provider_costs_pkey PRIMARY KEY (backend, day)
);

create table published_lists (
  name text not null,
  version integer not null,
  built_in boolean not null default false,
  file_digest text,
  file_version integer,
  constraint published_lists_pkey PRIMARY KEY (name),
  constraint published_lists_name_version_fkey FOREIGN KEY (name, version) REFERENCES catalog_lists(name, version)
);

create unlogged table render_progress (
  render_id text not null,
  watched_until timestamp with time zone,
  attempt integer,
  stage text,
  fraction real,
  step integer,
  steps integer,
  outputs_done integer not null default 0,
  "position" integer,
  revision integer not null default 0,
  preview bytea,
  preview_index integer,
  preview_revision integer not null default 0,
  preview_width integer,
  preview_height integer,
  reported_at timestamp with time zone not null default clock(),
  constraint render_progress_pkey PRIMARY KEY (render_id),
  constraint render_progress_fraction_check CHECK (fraction >= 0::double precision AND fraction <= 1::double precision),
  constraint render_progress_stage_check CHECK (stage = ANY (ARRAY['waiting_for_engine'::text, 'loading_model'::text, 'rendering'::text, 'encoding'::text, 'storing'::text]))
);

create table renders (
  id text not null,
  account_id text not null,
  token text not null,
  client_id text not null,
  status text not null,
  kind text,
  lane text,
  model text,
  request jsonb,
  prompt_id text,
  project_id text,
  cost_millicredits bigint,
  ledger_seq bigint,
  expected_outputs integer,
  job_id uuid,
  attempt integer not null default 0,
  refusal jsonb,
  error jsonb,
  accepted_at timestamp with time zone not null default clock(),
  started_at timestamp with time zone,
  completed_at timestamp with time zone,
  excused integer not null default 0,
  model_version integer,
  shape jsonb,
  tag timestamp with time zone,
  not_before timestamp with time zone,
  outputs_done integer not null default 0,
  seed bigint,
  sample text,
  stop_requested_at timestamp with time zone,
  stop_refund text,
  constraint renders_pkey PRIMARY KEY (id),
  constraint renders_account_id_token_key UNIQUE (account_id, token),
  constraint renders_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint renders_lane_check CHECK (lane = ANY (ARRAY['image'::text, 'edit'::text, 'video'::text])),
  constraint renders_sample_check CHECK (sample = ANY (ARRAY['own'::text, 'paid'::text])),
  constraint renders_status_check CHECK (status = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'refused'::text, 'barred'::text])),
  constraint renders_stop_refund_check CHECK (stop_refund = ANY (ARRAY['none'::text, 'full'::text])),
  constraint renders_under_way CHECK ((status <> ALL (ARRAY['queued'::text, 'running'::text])) OR completed_at IS NULL) NOT VALID
);
CREATE INDEX renders_by_age ON public.renders USING btree (accepted_at) WHERE ((status = ANY (ARRAY['queued'::text, 'running'::text])) AND (accepted_at > '-infinity'::timestamp with time zone));
CREATE INDEX renders_of_accounts ON public.renders USING btree (account_id, lane) WHERE ((status = ANY (ARRAY['queued'::text, 'running'::text])) AND (completed_at IS NULL));
CREATE INDEX renders_taken ON public.renders USING btree (model, kind, expected_outputs, completed_at DESC) WHERE (status = 'succeeded'::text);
CREATE INDEX renders_to_stop ON public.renders USING btree (id) WHERE ((stop_requested_at IS NOT NULL) AND (status = ANY (ARRAY['queued'::text, 'running'::text])));
CREATE INDEX renders_untagged ON public.renders USING btree (accepted_at) WHERE ((tag IS NULL) AND (status = ANY (ARRAY['queued'::text, 'running'::text])));
CREATE INDEX renders_waiting ON public.renders USING btree (model, model_version, kind, tag) WHERE ((status = 'queued'::text) AND (tag IS NOT NULL));

create table route_fits (
  backend text not null,
  model_id text not null,
  version integer not null,
  route integer not null,
  fits boolean not null,
  problems jsonb not null default '[]'::jsonb,
  checked_at timestamp with time zone not null default clock(),
  run_seconds real,
  first_seconds real,
  fault jsonb,
  constraint route_fits_pkey PRIMARY KEY (backend, model_id, version, route),
  constraint route_fits_backend_fkey FOREIGN KEY (backend) REFERENCES backends(name) ON DELETE CASCADE,
  constraint route_fits_model_id_version_route_fkey FOREIGN KEY (model_id, version, route) REFERENCES routes(model_id, version, route)
);
CREATE INDEX route_fits_of_route ON public.route_fits USING btree (model_id, version, route);

create table routes (
  model_id text not null,
  version integer not null,
  route integer not null,
  name text not null,
  engine text not null,
  backends text[] not null,
  needs jsonb not null default '{}'::jsonb,
  lacks text[] not null default '{}'::text[],
  affinity text,
  swap_seconds real not null default 20,
  typical_seconds real not null default 30,
  opens_after_seconds real not null default 0,
  at_once_if_none_up boolean not null default false,
  cost jsonb,
  max_per_job integer not null,
  run_timeout_seconds real not null default 600,
  on_unknown text not null default 'ask'::text,
  constraint routes_pkey PRIMARY KEY (model_id, version, route),
  constraint routes_model_id_version_fkey FOREIGN KEY (model_id, version) REFERENCES model_versions(model_id, version),
  constraint routes_on_unknown_check CHECK (on_unknown = ANY (ARRAY['ask'::text, 'fail'::text, 'retry'::text]))
);

create table settings (
  name text not null,
  value jsonb not null,
  changed_at timestamp with time zone not null default clock(),
  constraint settings_pkey PRIMARY KEY (name)
);

create unlogged table sign_in_attempts (
  subject text not null,
  attempts integer not null,
  window_ends_at timestamp with time zone not null,
  constraint sign_in_attempts_pkey PRIMARY KEY (subject)
);
CREATE INDEX sign_in_attempts_end ON public.sign_in_attempts USING btree (window_ends_at);

create table styles (
  id text not null,
  account_id text not null,
  name text not null,
  type text not null,
  created_at timestamp with time zone not null default clock(),
  constraint styles_pkey PRIMARY KEY (id),
  constraint styles_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint styles_type_check CHECK (type = ANY (ARRAY['image'::text, 'video'::text]))
);
CREATE INDEX styles_of_account ON public.styles USING btree (account_id, created_at);

create table submissions (
  id uuid not null,
  render_id text,
  attempt integer not null,
  backend text not null,
  model_id text not null,
  version integer not null,
  route integer not null,
  first_output integer not null,
  outputs integer not null,
  state text not null default 'intended'::text,
  blame text,
  error jsonb,
  handle jsonb,
  made jsonb,
  owner text,
  lease_until timestamp with time zone not null,
  created_at timestamp with time zone not null default clock(),
  sent_at timestamp with time zone,
  lost_at timestamp with time zone,
  ended_at timestamp with time zone,
  run_seconds real,
  swapped boolean not null default false,
  cost numeric(12,6),
  cost_day date,
  begun_at timestamp with time zone,
  engine_job text,
  constraint submissions_pkey PRIMARY KEY (id),
  constraint submissions_render_id_fkey FOREIGN KEY (render_id) REFERENCES renders(id) ON DELETE CASCADE,
  constraint submissions_blame_check CHECK (blame = ANY (ARRAY['backend'::text, 'pair'::text, 'render'::text])),
  constraint submissions_outputs_check CHECK (outputs > 0),
  constraint submissions_state_check CHECK (state = ANY (ARRAY['intended'::text, 'sent'::text, 'lost'::text, 'done'::text, 'failed'::text, 'canceled'::text]))
);
CREATE INDEX submissions_ended ON public.submissions USING btree (backend, ended_at DESC) WHERE (state = 'done'::text);
CREATE UNIQUE INDEX submissions_engine_job ON public.submissions USING btree (engine_job, backend) WHERE (engine_job IS NOT NULL);
CREATE INDEX submissions_leases ON public.submissions USING btree (lease_until) WHERE (state = ANY (ARRAY['intended'::text, 'sent'::text, 'lost'::text]));
CREATE INDEX submissions_live ON public.submissions USING btree (backend) WHERE (state = ANY (ARRAY['intended'::text, 'sent'::text, 'lost'::text]));
CREATE INDEX submissions_of ON public.submissions USING btree (render_id);
CREATE UNIQUE INDEX submissions_one_live ON public.submissions USING btree (render_id) WHERE (state = ANY (ARRAY['intended'::text, 'sent'::text, 'lost'::text]));

create table uploads (
  id text not null,
  account_id text not null,
  token text not null,
  project_id text,
  type text not null,
  status text not null default 'processing'::text,
  hidden boolean not null,
  file_name text not null,
  storage_key text not null,
  content_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  width integer,
  height integer,
  duration double precision,
  has_audio boolean not null,
  error text,
  created_at timestamp with time zone not null default clock(),
  settled_at timestamp with time zone,
  constraint uploads_pkey PRIMARY KEY (id),
  constraint uploads_account_id_token_key UNIQUE (account_id, token),
  constraint uploads_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint uploads_status_check CHECK (status = ANY (ARRAY['processing'::text, 'ready'::text, 'rejected'::text])),
  constraint uploads_type_check CHECK (type = ANY (ARRAY['image'::text, 'video'::text, 'audio'::text]))
);
CREATE INDEX uploads_of_project ON public.uploads USING btree (project_id) WHERE (project_id IS NOT NULL);
CREATE INDEX uploads_processing ON public.uploads USING btree (created_at) WHERE (status = 'processing'::text);
CREATE TRIGGER uploads_count_added AFTER INSERT ON public.uploads REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_uploads();
CREATE TRIGGER uploads_count_rejected AFTER UPDATE OF status ON public.uploads FOR EACH ROW WHEN (((new.status = 'rejected'::text) AND (old.status <> 'rejected'::text))) EXECUTE FUNCTION discount_upload();
CREATE TRIGGER uploads_count_removed AFTER DELETE ON public.uploads REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_uploads();

create unlogged table workers (
  id text not null,
  beat_at timestamp with time zone not null,
  constraint workers_pkey PRIMARY KEY (id)
);
