-- Written by tools/dump-schema.ts from a migrated database. Change migrations, not this file. Functions stand in functions/.

create table account_events (
  account_id text not null,
  seq bigint not null generated always as identity,
  id text not null,
  type text not null,
  subject_id text not null,
  created_at timestamp with time zone not null,
  constraint account_events_pkey PRIMARY KEY (account_id, seq),
  constraint account_events_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint account_events_type_check CHECK (type = ANY (ARRAY['generation.created'::text, 'generation.running'::text, 'generation.succeeded'::text, 'generation.failed'::text, 'generation.canceled'::text, 'upload.ready'::text, 'upload.rejected'::text]))
);
CREATE INDEX account_events_by_id ON public.account_events USING btree (id);
CREATE INDEX account_events_by_time ON public.account_events USING brin (created_at);

create table accounts (
  id text not null,
  studio_id text not null,
  studio_account_id text not null,
  email text,
  created_at timestamp with time zone not null default clock(),
  deleted_at timestamp with time zone,
  balance_monthly_millicredits bigint not null default 0,
  balance_lifetime_millicredits bigint not null default 0,
  balance_ledger_seq bigint not null default '-1'::integer,
  uncharged_millicredits bigint not null default 0,
  queued_image integer not null default 0,
  queued_edit integer not null default 0,
  queued_video integer not null default 0,
  limit_overall integer not null default 0,
  limit_image integer not null default 0,
  limit_edit integer not null default 0,
  limit_video integer not null default 0,
  elsewhere_overall integer not null default 0,
  elsewhere_image integer not null default 0,
  elsewhere_edit integer not null default 0,
  elsewhere_video integer not null default 0,
  limits_read_at timestamp with time zone,
  dispatch_after timestamp with time zone,
  dispatch_failures integer not null default 0,
  recipes_in_files boolean not null default false,
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_studio_id_studio_account_id_key UNIQUE (studio_id, studio_account_id),
  constraint accounts_queued_edit_check CHECK (queued_edit >= 0),
  constraint accounts_queued_image_check CHECK (queued_image >= 0),
  constraint accounts_queued_video_check CHECK (queued_video >= 0),
  constraint accounts_uncharged_millicredits_check CHECK (uncharged_millicredits >= 0)
);

create table api_keys (
  id text not null,
  account_id text not null,
  public_id text,
  secret_sha256 bytea,
  name text not null,
  scopes text[] not null,
  daily_budget_millicredits bigint,
  rate_limit_per_minute integer not null,
  created_at timestamp with time zone not null default clock(),
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  kind text not null default 'secret'::text,
  confirm_above_millicredits bigint default 25000,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_public_id_key UNIQUE (public_id),
  constraint api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint api_keys_confirm_above_millicredits_check CHECK (confirm_above_millicredits >= 0),
  constraint api_keys_console_has_no_secret CHECK ((kind = 'console'::text) = (public_id IS NULL) AND (public_id IS NULL) = (secret_sha256 IS NULL)),
  constraint api_keys_daily_budget_millicredits_check CHECK (daily_budget_millicredits >= 0),
  constraint api_keys_kind_check CHECK (kind = ANY (ARRAY['secret'::text, 'console'::text])),
  constraint api_keys_public_id_check CHECK (public_id ~ '^[0-9A-Za-z]{12}$'::text),
  constraint api_keys_rate_limit_per_minute_check CHECK (rate_limit_per_minute > 0),
  constraint api_keys_secret_sha256_check CHECK (length(secret_sha256) = 32)
);
CREATE UNIQUE INDEX api_keys_console ON public.api_keys USING btree (account_id) WHERE (kind = 'console'::text);
CREATE INDEX api_keys_of_account ON public.api_keys USING btree (account_id, created_at);

create table audit_entries (
  id text not null,
  account_id text not null,
  at timestamp with time zone not null default clock(),
  actor text not null,
  email text,
  session_id text,
  action text not null,
  subject_id text,
  subject_name text,
  details jsonb not null default '{}'::jsonb,
  constraint audit_entries_pkey PRIMARY KEY (id),
  constraint audit_entries_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint audit_entries_actor_check CHECK (actor = ANY (ARRAY['person'::text, 'operator'::text])),
  constraint audit_entries_details_check CHECK (jsonb_typeof(details) = 'object'::text)
);
CREATE INDEX audit_entries_account ON public.audit_entries USING btree (account_id, at DESC, id DESC);
CREATE INDEX audit_entries_by_action ON public.audit_entries USING btree (account_id, action, at DESC, id DESC);

create table budget_days (
  key_id text not null,
  day date not null,
  committed_millicredits bigint not null,
  constraint budget_days_pkey PRIMARY KEY (key_id, day),
  constraint budget_days_committed_millicredits_check CHECK (committed_millicredits >= 0)
);

create table connections (
  account_id text not null,
  status text not null,
  access_token_sealed text,
  access_expires_at timestamp with time zone,
  refresh_token_sealed text,
  version integer not null default 1,
  refresh_owner text,
  refresh_lease_until timestamp with time zone,
  constraint connections_pkey PRIMARY KEY (account_id),
  constraint connections_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint connections_status_check CHECK (status = ANY (ARRAY['live'::text, 'ended'::text]))
);
CREATE INDEX connections_refreshing ON public.connections USING btree (refresh_lease_until) WHERE (refresh_owner IS NOT NULL);

create table deliveries (
  id text not null,
  endpoint_id text not null,
  account_id text not null,
  event_id text not null,
  event_type text not null,
  status text not null default 'pending'::text,
  attempts integer not null default 0,
  tries integer not null default 0,
  last_status integer,
  last_failure text,
  last_attempt_at timestamp with time zone,
  created_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  given_up text,
  constraint deliveries_pkey PRIMARY KEY (id),
  constraint deliveries_event_id_endpoint_id_key UNIQUE (event_id, endpoint_id),
  constraint deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE,
  constraint deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE,
  constraint deliveries_check CHECK ((status = 'pending'::text) = (completed_at IS NULL)),
  constraint deliveries_given_up CHECK (NOT given_up IS DISTINCT FROM
CASE
    WHEN status = ANY (ARRAY['failed'::text, 'ended'::text]) THEN status
    ELSE NULL::text
END),
  constraint deliveries_given_up_check CHECK (given_up = ANY (ARRAY['failed'::text, 'ended'::text])),
  constraint deliveries_status_check CHECK (status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'ended'::text]))
);
CREATE INDEX deliveries_by_time ON public.deliveries USING brin (created_at);
CREATE INDEX deliveries_given_up ON public.deliveries USING btree (endpoint_id, given_up, created_at DESC, id DESC) WHERE (given_up IS NOT NULL);
CREATE INDEX deliveries_newest ON public.deliveries USING btree (account_id, created_at DESC, id DESC);
CREATE INDEX deliveries_newest_of_endpoint ON public.deliveries USING btree (endpoint_id, created_at DESC, id DESC);

create table delivery_attempts (
  delivery_id text not null,
  try integer not null,
  number integer,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  duration_ms integer,
  status integer,
  failure text,
  answer text,
  constraint delivery_attempts_pkey PRIMARY KEY (delivery_id, try)
);
CREATE INDEX delivery_attempts_by_time ON public.delivery_attempts USING brin (started_at);

create table delivery_queue (
  delivery_id text not null,
  endpoint_id text not null,
  ping boolean not null,
  scheduled_at timestamp with time zone,
  resend_at timestamp with time zone,
  claim_at timestamp with time zone not null,
  attempts integer not null default 0,
  tries integer not null default 0,
  lease_owner text,
  lease_until timestamp with time zone,
  claimed_at timestamp with time zone,
  claimed_number integer,
  constraint delivery_queue_pkey PRIMARY KEY (delivery_id),
  constraint delivery_queue_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES deliveries(id) ON DELETE CASCADE,
  constraint delivery_queue_check CHECK ((lease_owner IS NULL) = (lease_until IS NULL))
);
CREATE INDEX delivery_queue_due ON public.delivery_queue USING btree (endpoint_id, claim_at, delivery_id);
CREATE INDEX delivery_queue_pings ON public.delivery_queue USING btree (endpoint_id, claim_at, delivery_id) WHERE ping;

create table endpoint_turns (
  endpoint_id text not null,
  account_id text not null,
  next_due timestamp with time zone,
  last_served_at timestamp with time zone,
  state text not null default 'untried'::text,
  failing_since timestamp with time zone,
  leases timestamp with time zone[] not null default '{}'::timestamp with time zone[],
  constraint endpoint_turns_pkey PRIMARY KEY (endpoint_id),
  constraint endpoint_turns_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE,
  constraint endpoint_turns_failing_since_check CHECK (failing_since IS NULL OR state = 'failing'::text),
  constraint endpoint_turns_state_check CHECK (state = ANY (ARRAY['untried'::text, 'healthy'::text, 'failing'::text]))
);
CREATE INDEX endpoint_turns_due ON public.endpoint_turns USING btree (next_due) WHERE (state <> 'failing'::text);
CREATE INDEX endpoint_turns_failing ON public.endpoint_turns USING btree (next_due) WHERE (state = 'failing'::text);

create table events (
  id text not null,
  account_id text not null,
  type text not null,
  subject_id text not null,
  body text not null,
  created_at timestamp with time zone not null default clock(),
  constraint events_pkey PRIMARY KEY (id),
  constraint events_subject_id_key UNIQUE (subject_id),
  constraint events_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint events_type_check CHECK (type = ANY (ARRAY['generation.succeeded'::text, 'generation.failed'::text, 'upload.ready'::text, 'upload.rejected'::text, 'ping'::text]))
);
CREATE INDEX events_by_time ON public.events USING brin (created_at);
CREATE INDEX events_of_account ON public.events USING btree (account_id, created_at DESC);

create table facade_calls (
  id text not null,
  account_id text not null,
  fingerprint bytea not null,
  request jsonb not null,
  created_at timestamp with time zone not null,
  holder text,
  held_until timestamp with time zone,
  delivered_at timestamp with time zone,
  adoptions integer not null default 0,
  presence bigint,
  let_go_at timestamp with time zone,
  constraint facade_calls_pkey PRIMARY KEY (id),
  constraint facade_calls_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint facade_calls_check CHECK ((holder IS NULL) = (held_until IS NULL)),
  constraint facade_calls_fingerprint_check CHECK (length(fingerprint) = 32)
);
CREATE INDEX facade_calls_by_age ON public.facade_calls USING btree (created_at);
CREATE INDEX facade_calls_of_account ON public.facade_calls USING btree (account_id, fingerprint, created_at DESC);

create table facade_models (
  key_id text not null,
  model text not null,
  chosen_at timestamp with time zone not null,
  constraint facade_models_pkey PRIMARY KEY (key_id),
  constraint facade_models_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id) ON DELETE CASCADE
);

create table generation_requests (
  generation_id text not null,
  render_request text not null,
  quote text not null,
  accepted_body text,
  uploads text,
  sent_body text,
  words tsvector,
  constraint generation_requests_pkey PRIMARY KEY (generation_id),
  constraint generation_requests_generation_id_fkey FOREIGN KEY (generation_id) REFERENCES generations(id) ON DELETE CASCADE
);
CREATE INDEX generation_requests_without_words ON public.generation_requests USING btree (generation_id) WHERE (words IS NULL);
CREATE INDEX generation_requests_words ON public.generation_requests USING gin (words);

create table generation_uploads (
  upload_id text not null,
  generation_id text not null,
  constraint generation_uploads_pkey PRIMARY KEY (upload_id, generation_id),
  constraint generation_uploads_generation_id_fkey FOREIGN KEY (generation_id) REFERENCES generations(id) ON DELETE CASCADE,
  constraint generation_uploads_upload_id_fkey FOREIGN KEY (upload_id) REFERENCES uploads(id) ON DELETE CASCADE
);
CREATE INDEX generation_uploads_by_generation ON public.generation_uploads USING btree (generation_id);

create table generations (
  id text not null,
  account_id text not null,
  key_id text not null,
  kind text not null,
  lane text not null,
  status text not null,
  model text not null,
  project_id text,
  cost_millicredits bigint not null,
  expected_outputs integer not null,
  outputs text not null default '[]'::text,
  metadata text not null default '{}'::text,
  error_code text,
  error_message text,
  prompt_id text,
  created_at timestamp with time zone not null default clock(),
  submitted_at timestamp with time zone,
  completed_at timestamp with time zone,
  budget_day date not null,
  idempotency_key text,
  fingerprint bytea,
  blocked boolean not null default false,
  holds_slot boolean not null default false,
  attempt integer not null default 0,
  lease_owner text,
  lease_until timestamp with time zone,
  submit_sent_at timestamp with time zone,
  charge_ledger_seq bigint,
  heard_at timestamp with time zone,
  provenance text,
  constraint generations_pkey PRIMARY KEY (id),
  constraint generations_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint generations_check CHECK (status <> 'running'::text OR holds_slot),
  constraint generations_check1 CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text])) OR NOT holds_slot),
  constraint generations_check2 CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text])) = (completed_at IS NULL)),
  constraint generations_cost_millicredits_check CHECK (cost_millicredits >= 0),
  constraint generations_kind_check CHECK (kind = ANY (ARRAY['image'::text, 'image_edit'::text, 'video'::text, 'video_extend'::text])),
  constraint generations_lane_check CHECK (lane = ANY (ARRAY['image'::text, 'edit'::text, 'video'::text])),
  constraint generations_status_check CHECK (status = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'canceled'::text]))
);
CREATE INDEX generations_by_age ON public.generations USING btree (created_at) WHERE ((status = 'queued'::text) AND (completed_at IS NULL));
CREATE INDEX generations_by_charge ON public.generations USING btree (account_id, charge_ledger_seq) INCLUDE (cost_millicredits) WHERE ((charge_ledger_seq IS NOT NULL) AND (status = ANY (ARRAY['running'::text, 'succeeded'::text])));
CREATE UNIQUE INDEX generations_by_idempotency_key ON public.generations USING btree (account_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX generations_completed ON public.generations USING btree (completed_at) INCLUDE (id) WHERE (completed_at IS NOT NULL);
CREATE INDEX generations_in_doubt ON public.generations USING btree (account_id) WHERE ((submit_sent_at IS NOT NULL) AND (charge_ledger_seq IS NULL) AND (status = 'queued'::text));
CREATE INDEX generations_in_flight ON public.generations USING btree (account_id, lane) INCLUDE (status, lease_until) WHERE holds_slot;
CREATE INDEX generations_leased ON public.generations USING btree (lease_until) WHERE ((status = 'queued'::text) AND holds_slot);
CREATE INDEX generations_newest ON public.generations USING btree (account_id, created_at DESC, id DESC) INCLUDE (key_id);
CREATE INDEX generations_newest_by_kind ON public.generations USING btree (account_id, kind, created_at DESC, id DESC) INCLUDE (key_id);
CREATE INDEX generations_newest_by_status ON public.generations USING btree (account_id, status, created_at DESC, id DESC) INCLUDE (kind, key_id);
CREATE INDEX generations_running ON public.generations USING btree (heard_at) WHERE (status = 'running'::text);
CREATE INDEX generations_waiting ON public.generations USING btree (account_id, lane, blocked, created_at, id) WHERE ((status = 'queued'::text) AND (NOT holds_slot));

create table manual_sends (
  id bigint not null generated always as identity,
  account_id text not null,
  kind text not null,
  endpoint_id text not null,
  sent_at timestamp with time zone not null,
  constraint manual_sends_pkey PRIMARY KEY (id),
  constraint manual_sends_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint manual_sends_kind_check CHECK (kind = ANY (ARRAY['ping'::text, 'resend'::text]))
);
CREATE INDEX manual_sends_counted ON public.manual_sends USING btree (account_id, kind, sent_at);

create unlogged table rate_windows (
  key_id text not null,
  minute timestamp with time zone not null,
  requests integer not null,
  constraint rate_windows_pkey PRIMARY KEY (key_id, minute)
);
CREATE INDEX rate_windows_by_minute ON public.rate_windows USING btree (minute);

create table sessions (
  id text not null,
  account_id text not null,
  token_sha256 bytea not null,
  created_at timestamp with time zone not null default clock(),
  last_seen_at timestamp with time zone not null default clock(),
  expires_at timestamp with time zone not null,
  user_agent text,
  address text,
  authenticated_at timestamp with time zone,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_token_sha256_key UNIQUE (token_sha256),
  constraint sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint sessions_token_sha256_check CHECK (length(token_sha256) = 32)
);
CREATE INDEX sessions_account ON public.sessions USING btree (account_id, created_at DESC, id DESC);

create table settings (
  name text not null,
  value text not null,
  constraint settings_pkey PRIMARY KEY (name)
);

create table unapplied_changes (
  account_id text not null,
  seq bigint not null,
  token text not null,
  content text not null,
  reason text not null,
  created_at timestamp with time zone not null default clock(),
  constraint unapplied_changes_pkey PRIMARY KEY (account_id, seq),
  constraint unapplied_changes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table uploads (
  id text not null,
  account_id text not null,
  status text not null,
  hidden boolean not null default false,
  source_url text,
  project_id text,
  type text,
  url text,
  file_name text,
  content_type text,
  size_bytes bigint,
  width double precision,
  height double precision,
  sha256 bytea,
  error text,
  created_at timestamp with time zone not null default clock(),
  processing_since timestamp with time zone,
  lease_owner text,
  lease_until timestamp with time zone,
  due_at timestamp with time zone not null default clock(),
  tries integer not null default 0,
  expires_at timestamp with time zone not null default (clock() + '30 days'::interval),
  constraint uploads_pkey PRIMARY KEY (id),
  constraint uploads_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint uploads_check CHECK ((lease_owner IS NULL) = (lease_until IS NULL)),
  constraint uploads_check1 CHECK ((status = 'coming'::text) = (source_url IS NOT NULL)),
  constraint uploads_check2 CHECK (hidden OR status = 'receiving'::text OR type IS NOT NULL AND url IS NOT NULL AND file_name IS NOT NULL AND content_type IS NOT NULL AND size_bytes IS NOT NULL),
  constraint uploads_check3 CHECK ((status <> ALL (ARRAY['processing'::text, 'ready'::text])) OR type IS NOT NULL AND processing_since IS NOT NULL),
  constraint uploads_sha256_check CHECK (length(sha256) = 32),
  constraint uploads_status_check CHECK (status = ANY (ARRAY['receiving'::text, 'coming'::text, 'processing'::text, 'ready'::text, 'rejected'::text, 'deleting'::text])),
  constraint uploads_type_check CHECK (type = ANY (ARRAY['image'::text, 'video'::text, 'audio'::text]))
);
CREATE INDEX uploads_coming ON public.uploads USING btree (due_at) WHERE (status = 'coming'::text);
CREATE INDEX uploads_deleting ON public.uploads USING btree (due_at) WHERE (status = 'deleting'::text);
CREATE INDEX uploads_expiring ON public.uploads USING btree (expires_at) WHERE ((NOT hidden) AND (status = ANY (ARRAY['ready'::text, 'rejected'::text])));
CREATE INDEX uploads_hidden ON public.uploads USING btree (due_at) WHERE (hidden AND (status = ANY (ARRAY['ready'::text, 'rejected'::text])));
CREATE INDEX uploads_newest ON public.uploads USING btree (account_id, created_at DESC, id DESC) WHERE ((NOT hidden) AND (status = ANY (ARRAY['processing'::text, 'ready'::text, 'rejected'::text])));
CREATE INDEX uploads_of_account ON public.uploads USING btree (account_id);
CREATE INDEX uploads_processing ON public.uploads USING btree (due_at) INCLUDE (account_id) WHERE (status = 'processing'::text);
CREATE INDEX uploads_receiving ON public.uploads USING btree (lease_until) WHERE (status = 'receiving'::text);

create table watches (
  account_id text not null,
  cursor bigint not null default 0,
  watch_until timestamp with time zone not null,
  owner text,
  lease_until timestamp with time zone,
  constraint watches_pkey PRIMARY KEY (account_id),
  constraint watches_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX watches_until ON public.watches USING btree (watch_until);

create table webhook_endpoints (
  id text not null,
  account_id text not null,
  url text not null,
  events text[] not null,
  secret_sealed text not null,
  previous_secret_sealed text,
  previous_secret_until timestamp with time zone,
  created_at timestamp with time zone not null default clock(),
  paused_at timestamp with time zone,
  deleted_at timestamp with time zone,
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint webhook_endpoints_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint webhook_endpoints_check CHECK ((previous_secret_sealed IS NULL) = (previous_secret_until IS NULL))
);
CREATE INDEX webhook_endpoints_of_account ON public.webhook_endpoints USING btree (account_id, created_at, id);
CREATE INDEX webhook_endpoints_told ON public.webhook_endpoints USING btree (account_id) INCLUDE (id, events) WHERE ((paused_at IS NULL) AND (deleted_at IS NULL));
