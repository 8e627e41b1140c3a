-- Written by tools/dump-schema.ts from a migrated database. Change migrations, not this file.

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
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_public_id_key UNIQUE (public_id),
  constraint api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
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

create table generation_requests (
  generation_id text not null,
  render_request text not null,
  quote text not null,
  accepted_body text,
  uploads text,
  constraint generation_requests_pkey PRIMARY KEY (generation_id),
  constraint generation_requests_generation_id_fkey FOREIGN KEY (generation_id) REFERENCES generations(id) ON DELETE CASCADE
);
CREATE TRIGGER generation_requests_link_uploads AFTER INSERT ON public.generation_requests FOR EACH ROW WHEN ((new.uploads IS NOT NULL)) EXECUTE FUNCTION link_ready_uploads();

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
CREATE INDEX generations_by_charge ON public.generations USING btree (account_id, charge_ledger_seq) INCLUDE (cost_millicredits) WHERE ((charge_ledger_seq IS NOT NULL) AND (status = ANY (ARRAY['running'::text, 'succeeded'::text])));
CREATE UNIQUE INDEX generations_by_idempotency_key ON public.generations USING btree (account_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX generations_completed ON public.generations USING btree (completed_at) INCLUDE (id) WHERE (completed_at IS NOT NULL);
CREATE INDEX generations_in_doubt ON public.generations USING btree (account_id) WHERE ((submit_sent_at IS NOT NULL) AND (charge_ledger_seq IS NULL) AND (status = 'queued'::text));
CREATE INDEX generations_in_flight ON public.generations USING btree (account_id, lane) INCLUDE (status, lease_until) WHERE holds_slot;
CREATE INDEX generations_leased ON public.generations USING btree (lease_until) WHERE ((status = 'queued'::text) AND holds_slot);
CREATE INDEX generations_newest ON public.generations USING btree (account_id, created_at DESC, id DESC) INCLUDE (key_id);
CREATE INDEX generations_newest_by_kind ON public.generations USING btree (account_id, kind, created_at DESC, id DESC) INCLUDE (key_id);
CREATE INDEX generations_newest_by_status ON public.generations USING btree (account_id, status, created_at DESC, id DESC) INCLUDE (kind, key_id);
CREATE INDEX generations_oldest_waiting ON public.generations USING btree (created_at) WHERE (status = 'queued'::text);
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

CREATE OR REPLACE FUNCTION public.accept_generations(p_creates json, p_body_end text, p_queue_cap integer)
 RETURNS TABLE(ordinal integer, outcome text, body text, amount bigint)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  at constant timestamptz := clock();
  today constant date := (at at time zone 'UTC')::date;
  at_text constant text := to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  creates generation_create[];
  outcomes text[] := '{}';
  bodies text[] := '{}';
  amounts bigint[] := '{}';
  taken integer[] := '{}';
  -- Accounts, in the order of their ids.
  account_ids text[];
  spendable bigint[];
  waiting integer[];
  in_doubt boolean[];
  -- Keys.
  key_ids text[];
  usable boolean[];
  budgets bigint[];
  committed bigint[];
  -- Per create: the earlier generation under its Idempotency-Key.
  same_request boolean[];
  earlier_bodies text[];
  -- Per create, where any names uploads.
  naming boolean;
  spoiled boolean[];
  one generation_create;
  a integer;
  k integer;
begin
  creates := array(select c from json_populate_recordset(null::generation_create, p_creates) as c);
  perform 1 from accounts
    where id in (select account_id from unnest(creates)) order by id for no key update;

  -- Of the balance at hand and those that came with the quotes the newest holds.
  with asked as (
    select distinct on (account_id) account_id, ledger_seq,
           monthly_millicredits + lifetime_millicredits as balance
      from unnest(creates) order by account_id, ledger_seq desc
  ), known as (
    select acc.id, acc.deleted_at is not null as gone, acc.queued_image + acc.queued_edit + acc.queued_video as waits,
           acc.uncharged_millicredits as uncharged,
           greatest(asked.ledger_seq, acc.balance_ledger_seq) as seq,
           case when asked.ledger_seq > acc.balance_ledger_seq then asked.balance
                else acc.balance_monthly_millicredits + acc.balance_lifetime_millicredits end as balance
      from asked join accounts acc on acc.id = asked.account_id
  )
  select array_agg(known.id order by known.id),
         array_agg(known.balance - known.uncharged - (
             select coalesce(sum(g.cost_millicredits), 0)::bigint from generations g
              where g.account_id = known.id and g.charge_ledger_seq > known.seq
                and g.status in ('running', 'succeeded')) order by known.id),
         array_agg(known.waits order by known.id),
         array_agg(exists (
             select from generations g
              where g.account_id = known.id and g.submit_sent_at is not null and g.charge_ledger_seq is null
                and g.status = 'queued') order by known.id)
    into account_ids, spendable, waiting, in_doubt
    from known where not known.gone;

  select array_agg(key.id),
         array_agg(key.revoked_at is null and (key.expires_at is null or key.expires_at > at)),
         array_agg(key.daily_budget_millicredits),
         array_agg(coalesce(day.committed_millicredits, 0))
    into key_ids, usable, budgets, committed
    from (select distinct key_id from unnest(creates)) asked
    join api_keys key on key.id = asked.key_id
    left join budget_days day on day.key_id = key.id and day.day = today;

  if exists (select from unnest(creates) c where c.idempotency_key is not null) then
    select array_agg(g.fingerprint = decode(c.fingerprint, 'hex') order by c.place),
           array_agg(r.accepted_body order by c.place)
      into same_request, earlier_bodies
      from unnest(creates) with ordinality as c(
             id, account_id, key_id, kind, lane, model, project_id, cost_millicredits, expected_outputs, metadata,
             idempotency_key, fingerprint, render_request, quote, body_start, monthly_millicredits,
             lifetime_millicredits, ledger_seq, doubt_resolved, uploads, place)
      left join generations g on g.account_id = c.account_id and g.idempotency_key = c.idempotency_key
      left join generation_requests r on r.generation_id = g.id;
  end if;

  -- What becomes of an upload is decided under the account's lock too: what stands here stands until the commit.
  naming := exists (select from unnest(creates) c where c.uploads is not null);
  if naming then
    spoiled := array(
      select exists (
               select from json_to_recordset(c.uploads::json) as named (id text, url text)
                where named.url is null and not exists (
                  select from uploads u where u.id = named.id and u.account_id = c.account_id
                                          and u.status in ('processing', 'ready')))
        from unnest(creates) with ordinality as c(
               id, account_id, key_id, kind, lane, model, project_id, cost_millicredits, expected_outputs, metadata,
               idempotency_key, fingerprint, render_request, quote, body_start, monthly_millicredits,
               lifetime_millicredits, ledger_seq, doubt_resolved, uploads, place)
       order by c.place);
  end if;

  for i in 1 .. coalesce(array_length(creates, 1), 0) loop
    one := creates[i];
    a := array_position(account_ids, one.account_id);
    k := array_position(key_ids, one.key_id);
    bodies[i] := null;
    amounts[i] := null;
    if same_request[i] then
      outcomes[i] := 'replay';
      bodies[i] := earlier_bodies[i];
    elsif not same_request[i] then
      outcomes[i] := 'conflict';
    elsif a is null or k is null or not usable[k] then
      outcomes[i] := 'unauthorized';
    elsif committed[k] + one.cost_millicredits > budgets[k] then
      outcomes[i] := 'budget_exceeded';
      amounts[i] := greatest(budgets[k] - committed[k], 0);
    elsif one.cost_millicredits > spendable[a] then
      outcomes[i] := case when in_doubt[a] and not one.doubt_resolved then 'short' else 'insufficient_credits' end;
      amounts[i] := greatest(spendable[a], 0);
    elsif spoiled[i] then
      outcomes[i] := 'upload_gone';
    elsif waiting[a] >= p_queue_cap then
      outcomes[i] := 'queue_full';
    else
      outcomes[i] := 'accepted';
      bodies[i] := one.body_start || at_text || p_body_end;
      taken := taken || i;
      committed[k] := committed[k] + one.cost_millicredits;
      spendable[a] := spendable[a] - one.cost_millicredits;
      waiting[a] := waiting[a] + 1;
    end if;
  end loop;

  if array_length(taken, 1) > 0 then
    creates := array(select creates[place] from unnest(taken) as place);
    with sums as (
      select account_id, sum(cost_millicredits)::bigint as cost,
             count(*) filter (where lane = 'image') as image,
             count(*) filter (where lane = 'edit') as edit,
             count(*) filter (where lane = 'video') as video
        from unnest(creates) group by account_id
    ), newest as (
      select distinct on (account_id) account_id, ledger_seq, monthly_millicredits, lifetime_millicredits
        from unnest(creates) order by account_id, ledger_seq desc
    )
    update accounts acc
       set uncharged_millicredits = acc.uncharged_millicredits + sums.cost,
           queued_image = acc.queued_image + sums.image,
           queued_edit = acc.queued_edit + sums.edit,
           queued_video = acc.queued_video + sums.video,
           balance_monthly_millicredits = case when newest.ledger_seq > acc.balance_ledger_seq
             then newest.monthly_millicredits else acc.balance_monthly_millicredits end,
           balance_lifetime_millicredits = case when newest.ledger_seq > acc.balance_ledger_seq
             then newest.lifetime_millicredits else acc.balance_lifetime_millicredits end,
           balance_ledger_seq = greatest(newest.ledger_seq, acc.balance_ledger_seq)
      from sums join newest using (account_id)
     where acc.id = sums.account_id;

    insert into budget_days as day (key_id, day, committed_millicredits)
      select key_id, today, sum(cost_millicredits) from unnest(creates) group by key_id
      on conflict (key_id, day)
        do update set committed_millicredits = day.committed_millicredits + excluded.committed_millicredits;

    insert into generations (id, account_id, key_id, kind, lane, status, model, project_id, cost_millicredits,
                             expected_outputs, metadata, created_at, budget_day, idempotency_key, fingerprint)
      select c.id, c.account_id, c.key_id, c.kind, c.lane, 'queued', c.model, c.project_id, c.cost_millicredits,
             c.expected_outputs, c.metadata, at, today, c.idempotency_key, decode(c.fingerprint, 'hex')
        from unnest(creates) c;

    -- Without an Idempotency-Key nobody can ask for the same 202 again.
    insert into generation_requests (generation_id, render_request, quote, accepted_body, uploads)
      select c.id, c.render_request, c.quote,
             case when c.idempotency_key is not null then c.body_start || at_text || p_body_end end,
             c.uploads
        from unnest(creates) c;

    if naming then
      insert into uploads (id, account_id, status, hidden, source_url)
        select distinct named.id, c.account_id, 'coming', true, named.url
          from unnest(creates) c
         cross join lateral json_to_recordset(c.uploads::json) as named (id text, url text)
         where named.url is not null;
      insert into generation_uploads (upload_id, generation_id)
        select distinct u.id, c.id
          from unnest(creates) c
         cross join lateral json_to_recordset(c.uploads::json) as named (id text, url text)
          join uploads u on u.id = named.id and u.account_id = c.account_id
         where u.hidden or u.status <> 'ready';
      update generations g set blocked = true
        from unnest(creates) c
       where g.id = c.id and c.uploads is not null and exists (
         select from generation_uploads n join uploads u on u.id = n.upload_id
          where n.generation_id = c.id and u.status <> 'ready');
    end if;
  end if;

  return query select place::integer, o, b, m
    from unnest(outcomes, bodies, amounts) with ordinality as answers(o, b, m, place);
end
$function$
;

CREATE OR REPLACE FUNCTION public.claim_deliveries(p_owner text, p_lease interval, p_places integer, p_failing_places integer, p_several boolean)
 RETURNS TABLE(delivery_id text, try integer, number integer, endpoint_id text, failing boolean, url text, secret_sealed text, previous_secret_sealed text, event_type text, body text)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  at constant timestamptz := clock();
  lease_end constant timestamptz := at + p_lease;
  locked text[];
  deleted text;
begin
  -- What is locked is somebody else's turn just now.
  locked := array(
    select t.endpoint_id from endpoint_turns t
     where t.endpoint_id = any (array(
       (select c.endpoint_id
          from (select endpoint_id, last_served_at,
                       row_number() over (partition by account_id order by last_served_at nulls first) as place
                  from endpoint_turns
                 where next_due <= at and state <> 'failing'
                   and (leases = '{}' or (select count(*) from unnest(leases) as l where l > at)
                                         < case when state = 'healthy' and p_several then 4 else 1 end)) c
         order by c.place, c.last_served_at nulls first limit p_places)
       union all
       (select c.endpoint_id
          from (select endpoint_id, last_served_at,
                       row_number() over (partition by account_id order by last_served_at nulls first) as place
                  from endpoint_turns where next_due <= at and state = 'failing') c
         order by c.place, c.last_served_at nulls first limit p_failing_places)))
     order by t.endpoint_id for no key update skip locked);
  if locked = '{}' then
    return;
  end if;

  -- From here on with the locks held and a snapshot taken after.
  return query
  with room as materialized (
    select t.endpoint_id, t.account_id, t.last_served_at, t.state = 'failing' as failing,
           e.paused_at is not null as paused,
           case when t.state = 'healthy' and p_several then 4 else 1 end
           - (select count(*) from unnest(t.leases) as l where l > at) as places
      from endpoint_turns t
     cross join lateral (
       select e.paused_at from webhook_endpoints e where e.id = t.endpoint_id and e.deleted_at is null offset 0) e
     where t.endpoint_id = any (locked)
  ), oldest as (
    select r.*, w.delivery_id, w.lease_owner,
           row_number() over (partition by r.endpoint_id order by w.claim_at, w.delivery_id) as place
      from room r
     -- The limit is constant: one that came from a subquery would sort the whole queue. Four at most are passed over.
     cross join lateral (
       (select q.delivery_id, q.claim_at, q.lease_owner from delivery_queue q
         where q.endpoint_id = r.endpoint_id and q.claim_at <= at and not r.paused
           and (q.lease_until is null or q.lease_until <= at)
         order by q.claim_at, q.delivery_id limit 4)
       union all
       (select q.delivery_id, q.claim_at, q.lease_owner from delivery_queue q
         where q.endpoint_id = r.endpoint_id and q.claim_at <= at and q.ping and r.paused
           and (q.lease_until is null or q.lease_until <= at)
         order by q.claim_at, q.delivery_id limit 4)) w
     where r.places > 0
  ), fair as (
    select o.*, row_number() over (partition by o.account_id order by o.place, o.last_served_at nulls first) as turn
      from oldest o where o.place <= o.places
  ), chosen as (
    select f.* from fair f order by f.turn, f.last_served_at nulls first limit p_places
  ), cut_off as (
    insert into delivery_attempts (delivery_id, try, number, started_at, ended_at, failure)
      select q.delivery_id, q.tries, q.claimed_number, q.claimed_at, at, 'interrupted'
        from delivery_queue q
       where q.delivery_id = any (array(select c.delivery_id from chosen c where c.lease_owner is not null))
  ), claimed as (
    update delivery_queue q
       set tries = q.tries + 1, lease_owner = p_owner, lease_until = lease_end, claimed_at = at,
           claimed_number = case when q.scheduled_at <= at then q.attempts + 1 end
     where q.delivery_id = any (array(select c.delivery_id from chosen c))
    returning q.delivery_id, q.tries, q.endpoint_id, q.claimed_number
  ), taken as (
    select c.endpoint_id, count(*)::integer as number from claimed c group by c.endpoint_id
  ), turn as (
    update endpoint_turns t
       set leases = leases_left(t.leases, '{}', at) || array_fill(lease_end, array[taken.number]), last_served_at = at
      from taken where t.endpoint_id = taken.endpoint_id and t.endpoint_id = any (locked)
  )
  select c.delivery_id, c.tries, c.claimed_number, c.endpoint_id, w.failing, e.url, e.secret_sealed,
         case when e.previous_secret_until > at then e.previous_secret_sealed end, d.event_type, v.body
    from claimed c
    join chosen w on w.delivery_id = c.delivery_id
   cross join lateral (select d.event_id, d.event_type from deliveries d where d.id = c.delivery_id offset 0) d
   cross join lateral (select v.body from events v where v.id = d.event_id offset 0) v
   cross join lateral (
     select e.url, e.secret_sealed, e.previous_secret_sealed, e.previous_secret_until
       from webhook_endpoints e where e.id = c.endpoint_id offset 0) e;

  -- Written while its endpoint was being deleted, or left behind by a crash.
  for deleted in
    select e.id from webhook_endpoints e where e.id = any (locked) and e.deleted_at is not null
  loop
    perform end_deliveries(deleted, 500);
  end loop;

  -- As a rule more is due already, and nothing changes.
  update endpoint_turns t
     set next_due = n.next_due
    from (select t.endpoint_id, next_due_of(t.endpoint_id, t.state = 'failing', t.leases, at) as next_due
            from endpoint_turns t where t.endpoint_id = any (locked)) n
   where t.endpoint_id = n.endpoint_id and t.endpoint_id = any (locked)
     and (n.next_due is null or t.next_due is null or n.next_due > at or t.next_due > at)
     and n.next_due is distinct from t.next_due;
end
$function$
;

CREATE OR REPLACE FUNCTION public.claim_generations(p_accounts text[], p_owner text, p_lease interval, p_skip_locked boolean)
 RETURNS TABLE(account_id text, generation_id text, attempt integer, lane text, cost_millicredits bigint, sent_before boolean, render_request text, quote text, free_overall integer, free_image integer, free_edit integer, free_video integer, limits_age_ms double precision, wait_ms double precision, connected boolean)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
declare
  at constant timestamptz := clock();
  locked text[];
begin
  if p_skip_locked then
    locked := array(select id from accounts where id = any (p_accounts) and deleted_at is null
                     order by id for no key update skip locked);
  else
    locked := array(select id from accounts where id = any (p_accounts) and deleted_at is null
                     order by id for no key update);
  end if;

  return query
  with ready as (
    select a.* from accounts a join connections c on c.account_id = a.id and c.status = 'live'
     where a.id = any (locked) and (a.dispatch_after is null or a.dispatch_after <= at)
  ), held as (
    select g.account_id, count(*) as overall, count(*) filter (where g.lane = 'image') as image,
           count(*) filter (where g.lane = 'edit') as edit, count(*) filter (where g.lane = 'video') as video
      from generations g where g.account_id = any (locked) and g.holds_slot group by g.account_id
  ), free as (
    select r.id, r.limit_overall - r.elsewhere_overall - coalesce(h.overall, 0) as overall,
           r.limit_image - r.elsewhere_image - coalesce(h.image, 0) as image,
           r.limit_edit - r.elsewhere_edit - coalesce(h.edit, 0) as edit,
           r.limit_video - r.elsewhere_video - coalesce(h.video, 0) as video
      from ready r left join held h on h.account_id = r.id
     where r.limits_read_at is not null
  ), oldest as (
    select f.id as account_id, f.overall, l.free, w.id, w.created_at,
           row_number() over (partition by f.id, l.lane order by w.created_at, w.id) as place_in_lane
      from free f
     cross join lateral (values ('image', f.image), ('edit', f.edit), ('video', f.video)) as l(lane, free)
     -- The limit is constant: one that came from a subquery would sort the whole queue.
     cross join lateral (
       select g.id, g.created_at from generations g
        where g.account_id = f.id and g.lane = l.lane and g.blocked = false
          and g.status = 'queued' and not g.holds_slot
        order by g.created_at, g.id limit 64) w
     where f.overall > 0 and l.free > 0
  ), chosen as (
    select o.id, o.overall, row_number() over (partition by o.account_id order by o.created_at, o.id) as place
      from oldest o where o.place_in_lane <= o.free
  ), taken as (
    select c.id from chosen c where c.place <= c.overall
    union all
    select g.id from ready r join generations g on g.account_id = r.id
     where g.holds_slot and g.status = 'queued' and g.lease_until <= at
  ), claimed as (
    update generations g
       set holds_slot = true, attempt = g.attempt + 1, lease_owner = p_owner, lease_until = at + p_lease,
           submit_sent_at = coalesce(g.submit_sent_at, at)
      from taken where g.id = taken.id
    returning g.id, g.account_id, g.attempt, g.lane, g.cost_millicredits, g.created_at,
              g.submit_sent_at < at as sent_before
  )
  select c.account_id, c.id, c.attempt, c.lane, c.cost_millicredits, c.sent_before, q.render_request, q.quote,
         null::integer, null::integer, null::integer, null::integer,
         null::double precision, null::double precision, null::boolean
    from claimed c join generation_requests q on q.generation_id = c.id
  union all
  select a.id, null, null, null, null, null, null, null,
         f.overall::integer, f.image::integer, f.edit::integer, f.video::integer,
         (extract(epoch from at - a.limits_read_at) * 1000)::double precision,
         (greatest(extract(epoch from a.dispatch_after - at), 0) * 1000)::double precision,
         exists (select from connections c where c.account_id = a.id and c.status = 'live')
    from accounts a left join free f on f.id = a.id where a.id = any (locked);
end
$function$
;

CREATE OR REPLACE FUNCTION public.clock()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$ select statement_timestamp() $function$
;

CREATE OR REPLACE FUNCTION public.end_deliveries(p_endpoint_id text, p_most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  at constant timestamptz := clock();
  ended integer;
begin
  perform 1 from endpoint_turns where endpoint_id = p_endpoint_id for no key update;
  with waiting as (
    select q.delivery_id from delivery_queue q
     where q.endpoint_id = p_endpoint_id and (q.lease_until is null or q.lease_until <= at)
     order by q.claim_at limit p_most
  ), gone as (
    delete from delivery_queue q using waiting w where q.delivery_id = w.delivery_id
    returning q.delivery_id, q.tries, q.lease_owner, q.claimed_at, q.claimed_number
  ), cut_off as (
    insert into delivery_attempts (delivery_id, try, number, started_at, ended_at, failure)
      select delivery_id, tries, claimed_number, claimed_at, at, 'interrupted' from gone where lease_owner is not null
  ), marked as (
    update deliveries d set status = 'ended', given_up = 'ended', completed_at = at
      from waiting w where d.id = w.delivery_id and d.status = 'pending'
  )
  select count(*) into ended from waiting;
  update endpoint_turns t
     set leases = leases_left(t.leases, '{}', at),
         next_due = next_due_of(t.endpoint_id, false, leases_left(t.leases, '{}', at), at)
   where t.endpoint_id = p_endpoint_id;
  return ended;
end
$function$
;

CREATE OR REPLACE FUNCTION public.leases_left(p_leases timestamp with time zone[], p_given_back timestamp with time zone[], p_at timestamp with time zone)
 RETURNS timestamp with time zone[]
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select array(
    select l.lease from (
      select lease, row_number() over (partition by lease) as n from unnest(p_leases) as lease where lease > p_at) l
     where l.n > (select count(*) from unnest(p_given_back) as g where g = l.lease))
$function$
;

CREATE OR REPLACE FUNCTION public.link_ready_uploads()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into generation_uploads (upload_id, generation_id)
    select distinct u.id, new.generation_id
      from json_to_recordset(new.uploads::json) as named (id text)
      join uploads u on u.id = named.id
     where not u.hidden and u.status = 'ready';
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.move_generations(p_moves json, p_cursors json, p_watcher text, p_watch_lease interval)
 RETURNS TABLE(id text, account_id text, lane text, to_status text, watching boolean, deliveries integer)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
declare
  moves generation_move[];
  mine text[];
begin
  moves := array(
    select (m.id, m.account_id, m.from_status, m.to_status, m.attempt, m.untouched, coalesce(m.at, clock()),
            m.prompt_id, m.project_id, m.charge_ledger_seq, m.outputs, m.error_code, m.error_message,
            m.event_id, m.event_type, m.event_body)::generation_move
      from json_populate_recordset(null::generation_move, p_moves) as m);
  perform 1 from accounts
    where id in (select account_id from unnest(moves)
                 union select account_id from json_to_recordset(p_cursors) as c (account_id text))
    order by id for no key update;

  if p_cursors is not null then
    update watches w set cursor = c.cursor
      from json_to_recordset(p_cursors) as c (account_id text, cursor bigint)
     where w.account_id = c.account_id and w.owner = p_watcher;
  end if;
  if moves = '{}' then
    return;
  end if;

  -- A job that runs or has just ended keeps its account watched for five minutes more.
  insert into watches as w (account_id, watch_until, owner, lease_until)
    select distinct m.account_id, clock() + interval '5 minutes', p_watcher, clock() + p_watch_lease
      from unnest(moves) m
     where p_watcher is not null and (m.to_status = 'running' or m.from_status = 'running')
     order by m.account_id
    on conflict (account_id) do update
       set watch_until = excluded.watch_until,
           owner = case when w.lease_until > clock() then w.owner else excluded.owner end,
           lease_until = case when w.lease_until > clock() then w.lease_until else excluded.lease_until end
     where w.watch_until < clock() + interval '4 minutes' or w.lease_until is null or w.lease_until <= clock();
  mine := array(
    select w.account_id from watches w
     where w.owner = p_watcher and w.account_id in (select account_id from unnest(moves)));

  return query
  with moved as (
    update generations g
       set status = m.to_status,
           holds_slot = m.to_status = 'running',
           lease_owner = null,
           lease_until = null,
           submitted_at = case when m.to_status = 'running' then m.at else g.submitted_at end,
           heard_at = case when m.to_status = 'running' then m.at else g.heard_at end,
           completed_at = case when m.to_status = 'running' then null else m.at end,
           prompt_id = coalesce(m.prompt_id, g.prompt_id),
           project_id = coalesce(m.project_id, g.project_id),
           charge_ledger_seq = coalesce(m.charge_ledger_seq, g.charge_ledger_seq),
           outputs = coalesce(m.outputs, g.outputs),
           error_code = coalesce(m.error_code, g.error_code),
           error_message = coalesce(m.error_message, g.error_message)
      from unnest(moves) m
     where g.id = m.id and g.account_id = m.account_id and g.status = m.from_status
       and (m.attempt is null or g.attempt = m.attempt)
       and (m.untouched is not true or (not g.holds_slot and g.submit_sent_at is null))
    returning g.id, g.account_id, g.key_id, g.lane, g.budget_day, g.cost_millicredits, m.from_status, m.to_status,
              m.at, m.event_id, m.event_type, m.event_body
  ), account_changes as (
    select moved.account_id,
           count(*) filter (where from_status = 'queued' and moved.lane = 'image') as left_image,
           count(*) filter (where from_status = 'queued' and moved.lane = 'edit') as left_edit,
           count(*) filter (where from_status = 'queued' and moved.lane = 'video') as left_video,
           coalesce(sum(cost_millicredits) filter (where from_status = 'queued'), 0) as no_longer_uncharged,
           count(*) filter (where from_status = 'queued') as left_queue,
           -- The studio took or finished something: it is within reach and a place may be free.
           bool_or(moved.to_status = 'running' or from_status = 'running') as studio_moved
      from moved group by moved.account_id
  ), account_update as (
    update accounts a
       set queued_image = a.queued_image - c.left_image,
           queued_edit = a.queued_edit - c.left_edit,
           queued_video = a.queued_video - c.left_video,
           uncharged_millicredits = a.uncharged_millicredits - c.no_longer_uncharged,
           dispatch_failures = case when c.studio_moved then 0 else a.dispatch_failures end,
           dispatch_after = case when c.studio_moved then null else a.dispatch_after end
      from account_changes c
     where a.id = c.account_id and (c.left_queue > 0 or (c.studio_moved and a.dispatch_after is not null))
  ), budget_update as (
    update budget_days d
       set committed_millicredits = d.committed_millicredits - freed.cost
      from (select key_id, budget_day, sum(cost_millicredits) as cost
              from moved where moved.to_status in ('failed', 'canceled') group by key_id, budget_day) freed
     where d.key_id = freed.key_id and d.day = freed.budget_day
  ), event_insert as (
    insert into events (id, account_id, type, subject_id, body, created_at)
      select event_id, moved.account_id, event_type, moved.id, event_body, at
        from moved where event_id is not null
  ), delivery_insert as (
    insert into deliveries as d (id, endpoint_id, account_id, event_id, event_type, created_at)
      select new_delivery_id(moved.event_id), e.id, moved.account_id, moved.event_id, moved.event_type, moved.at
        from moved
       -- Most accounts have none, and most moves no event.
       cross join lateral (
         select e.id from webhook_endpoints e
          where e.account_id = moved.account_id and e.paused_at is null and e.deleted_at is null
            and moved.event_type = any (e.events)) e
       where moved.event_id is not null
    returning d.id, d.endpoint_id, d.account_id, d.event_id, d.created_at
  ), queue_insert as (
    insert into delivery_queue (delivery_id, endpoint_id, ping, scheduled_at, claim_at)
      select d.id, d.endpoint_id, false, d.created_at, d.created_at from delivery_insert d
  ), turn_update as (
    insert into endpoint_turns as t (endpoint_id, account_id, next_due)
      select d.endpoint_id, d.account_id, min(d.created_at)
        from delivery_insert d group by d.endpoint_id, d.account_id order by d.endpoint_id
    -- Locked in any case, which is what keeps its next_due from being set too late meanwhile.
    on conflict (endpoint_id) do update set next_due = excluded.next_due
      where t.next_due is null or t.next_due > excluded.next_due
  )
  select moved.id, moved.account_id, moved.lane, moved.to_status, moved.account_id = any (mine),
         (select count(*)::integer from delivery_insert d where d.event_id = moved.event_id)
    from moved;
end
$function$
;

CREATE OR REPLACE FUNCTION public.new_delivery_id(p_event_id text)
 RETURNS text
 LANGUAGE sql
AS $function$
  select 'dlv_' || substr(p_event_id, 5, 10) ||
         (select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (get_byte(bytes, i) & 31), 1), '')
            from sha256(uuid_send(gen_random_uuid())) as bytes, generate_series(0, 15) as i)
$function$
;

CREATE OR REPLACE FUNCTION public.next_due_of(p_endpoint_id text, p_failing boolean, p_leases timestamp with time zone[], p_at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select case
    -- Out of the way of the others until its one place is free. Others stay due while they are full: that
    -- lasts a moment, and the row's index entry can stay as it is.
    when p_failing and p_leases <> '{}' then (select min(l) from unnest(p_leases) as l)
    else coalesce(
      case when (select e.paused_at is not null and e.deleted_at is null from webhook_endpoints e where e.id = p_endpoint_id)
        -- Its pings alone go on.
        then (select q.claim_at from delivery_queue q
               where q.endpoint_id = p_endpoint_id and q.ping and (q.lease_until is null or q.lease_until <= p_at)
               order by q.claim_at limit 1)
        else (select q.claim_at from delivery_queue q
               where q.endpoint_id = p_endpoint_id and (q.lease_until is null or q.lease_until <= p_at)
               order by q.claim_at limit 1)
      end,
      -- Nothing waits; should a lease lapse, what it held is due again.
      (select min(l) from unnest(p_leases) as l))
  end
$function$
;

CREATE OR REPLACE FUNCTION public.record_attempts(p_results json, p_delays integer[], p_wait boolean)
 RETURNS TABLE(delivery_id text, status text)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  at timestamptz;
  results attempt_result[];
  locked text[];
begin
  results := array(select r from json_populate_recordset(null::attempt_result, p_results) as r);
  if p_wait then
    locked := array(select endpoint_id from endpoint_turns
                     where endpoint_id = any (array(select endpoint_id from unnest(results))) for no key update);
  else
    locked := array(select endpoint_id from endpoint_turns
                     where endpoint_id = any (array(select endpoint_id from unnest(results)))
                       for no key update skip locked);
  end if;
  return query select r.delivery_id, 'busy' from unnest(results) as r where r.endpoint_id <> all (locked);
  at := clock();

  return query
  with told as materialized (
    select r.*, r.failure is null as ok, r.number >= cardinality(p_delays) as last_one, q.ping, q.attempts,
           q.scheduled_at, case when q.resend_at > q.claimed_at then q.resend_at end as resend_at, q.claimed_at,
           q.lease_until, d.status as before, e.deleted_at is not null as deleted
      from unnest(results) with ordinality as
           r (delivery_id, endpoint_id, try, number, duration_ms, status, failure, answer, place)
     cross join lateral (
       select q.* from delivery_queue q
        where q.delivery_id = r.delivery_id and q.tries = r.try and q.lease_until is not null offset 0) q
     cross join lateral (select d.status, d.endpoint_id from deliveries d where d.id = r.delivery_id offset 0) d
     cross join lateral (select e.deleted_at from webhook_endpoints e where e.id = d.endpoint_id offset 0) e
     where r.endpoint_id = any (locked)
  ), judged as materialized (
    select t.delivery_id, t.try, t.number, t.duration_ms, t.status, t.failure, t.answer, t.claimed_at, t.before,
           coalesce(t.number, t.attempts) as attempts,
           case when t.ok then 'delivered'
                when t.before = 'pending' and t.last_one then 'failed'
                when t.before = 'pending' and t.deleted then 'ended'
                else t.before end as after,
           case when t.ok or t.deleted or t.before <> 'pending' then null
                when t.number is null then t.scheduled_at
                when not t.last_one then at + p_delays[t.number + 1] * interval '1 second' end as scheduled_at,
           case when not t.deleted then t.resend_at end as resend_at
      from told t
  ), attempt as (
    insert into delivery_attempts (delivery_id, try, number, started_at, ended_at, duration_ms, status, failure, answer)
      select j.delivery_id, j.try, j.number, j.claimed_at, at, j.duration_ms, j.status, j.failure, j.answer
        from judged j
  ), done as (
    delete from delivery_queue q
     where q.delivery_id = any (array(
       select j.delivery_id from judged j where j.scheduled_at is null and j.resend_at is null))
  ), waiting as (
    update delivery_queue q
       set scheduled_at = j.scheduled_at, resend_at = j.resend_at, claim_at = least(j.scheduled_at, j.resend_at),
           attempts = j.attempts, lease_owner = null, lease_until = null, claimed_at = null, claimed_number = null
      from judged j
     where q.delivery_id = j.delivery_id and q.delivery_id = any (array(
       select j.delivery_id from judged j where j.scheduled_at is not null or j.resend_at is not null))
  ), turn as (
    -- Of several results of one endpoint the last one counts. How it is served goes by any attempt, since when it is
    -- failing by events alone: a failed ping says nothing there, a success of either ends it.
    update endpoint_turns t
       set state = case when l.failure is null then 'healthy' else 'failing' end,
           failing_since = case when l.failed_event > l.success and l.success > 0 then at
                                when l.failed_event > l.success then coalesce(t.failing_since, at)
                                when l.success = 0 then t.failing_since end,
           leases = leases_left(t.leases, l.given_back, at)
      from (select endpoint_id, (array_agg(failure order by place desc))[1] as failure,
                   coalesce(max(place) filter (where ok), 0) as success,
                   coalesce(max(place) filter (where not ok and not ping), 0) as failed_event,
                   array_agg(lease_until) as given_back
              from told group by endpoint_id) l
     where t.endpoint_id = l.endpoint_id and t.endpoint_id = any (locked)
  )
  update deliveries d
     set status = j.after, given_up = case when j.after in ('failed', 'ended') then j.after end,
         attempts = j.attempts, tries = j.try, last_status = j.status, last_failure = j.failure,
         last_attempt_at = at, completed_at = case when j.after = j.before then d.completed_at else at end
    from judged j
   where d.id = j.delivery_id and d.id = any (array(select j.delivery_id from judged j))
  returning d.id, d.status;

  update endpoint_turns t
     set next_due = n.next_due
    from (select t.endpoint_id, next_due_of(t.endpoint_id, t.state = 'failing', t.leases, at) as next_due
            from endpoint_turns t where t.endpoint_id = any (locked)) n
   where t.endpoint_id = n.endpoint_id and t.endpoint_id = any (locked)
     and (n.next_due is null or t.next_due is null or n.next_due > at or t.next_due > at)
     and n.next_due is distinct from t.next_due;
end
$function$
;

CREATE OR REPLACE FUNCTION public.release_generations(p_releases json)
 RETURNS TABLE(id text, account_id text, wait_ms double precision)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
declare
  releases generation_release[];
begin
  releases := array(select r from json_populate_recordset(null::generation_release, p_releases) as r);
  perform 1 from accounts
    where id in (select account_id from unnest(releases)) order by id for no key update;

  return query
  with released as (
    update generations g
       set holds_slot = false, lease_owner = null, lease_until = null,
           submit_sent_at = case when r.unsent then null else g.submit_sent_at end
      from unnest(releases) r
     where g.id = r.id and g.account_id = r.account_id and g.attempt = r.attempt
       and g.status = 'queued' and g.holds_slot
    returning g.id, g.account_id, r.retry_after_ms, r.at_once
  ), paused as (
    update accounts a
       set dispatch_failures = least(a.dispatch_failures + 1, 30),
           dispatch_after = clock() + greatest(
             p.retry_after_ms, least(30000, 1000 * 2 ^ least(a.dispatch_failures, 5)) * (0.75 + random() / 2)
           ) * interval '1 millisecond'
      from (select account_id, max(retry_after_ms) as retry_after_ms from released
             where at_once is not true group by account_id) p
     where a.id = p.account_id
    returning a.id, (extract(epoch from a.dispatch_after - clock()) * 1000)::double precision as wait_ms
  )
  select released.id, released.account_id, paused.wait_ms
    from released left join paused on paused.id = released.account_id;
end
$function$
;

CREATE OR REPLACE FUNCTION public.write_event(p_event_id text, p_account_id text, p_type text, p_subject_id text, p_body text, p_at timestamp with time zone)
 RETURNS integer
 LANGUAGE sql
 SET enable_seqscan TO 'off'
AS $function$
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
    -- Locked in any case, which is what keeps its next_due from being set too late meanwhile.
    on conflict (endpoint_id) do update set next_due = excluded.next_due
      where t.next_due is null or t.next_due > excluded.next_due
  )
  select count(*)::integer from delivery
$function$
;

CREATE OR REPLACE FUNCTION public.write_ping(p_event_id text, p_endpoint_id text, p_body text, p_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
AS $function$
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
$function$
;
