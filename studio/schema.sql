-- Written by tools/dump-schema.ts from a migrated database. Change migrations, not this file.

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
  password_version integer not null default 0,
  uploads_bytes bigint not null default 0,
  outputs_bytes bigint not null default 0,
  limit_storage_bytes bigint not null default '2147483648'::bigint,
  storage_override_bytes bigint,
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_allowance_millicredits_check CHECK (allowance_millicredits >= 0),
  constraint accounts_lifetime_millicredits_check CHECK (lifetime_millicredits >= 0),
  constraint accounts_limit_storage_bytes_check CHECK (limit_storage_bytes >= 0),
  constraint accounts_monthly_millicredits_check CHECK (monthly_millicredits >= 0),
  constraint accounts_next_fault_check CHECK (next_fault = ANY (ARRAY['nonsense'::text, 'rate'::text, 'concurrency'::text, 'silence'::text])),
  constraint accounts_outputs_bytes_check CHECK (outputs_bytes >= 0),
  constraint accounts_storage_override_bytes_check CHECK (storage_override_bytes >= 0),
  constraint accounts_tier_check CHECK (tier = ANY (ARRAY['free'::text, 'plus'::text, 'pro'::text])),
  constraint accounts_uploads_bytes_check CHECK (uploads_bytes >= 0)
);
CREATE UNIQUE INDEX accounts_email ON public.accounts USING btree (lower(email)) WHERE (email IS NOT NULL);
CREATE INDEX accounts_refill ON public.accounts USING btree (next_refill_at) WHERE (deleted_at IS NULL);
CREATE INDEX accounts_to_erase ON public.accounts USING btree (deleted_at) WHERE ((deleted_at IS NOT NULL) AND (erased_at IS NULL));

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
  constraint renders_pkey PRIMARY KEY (id),
  constraint renders_account_id_token_key UNIQUE (account_id, token),
  constraint renders_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint renders_lane_check CHECK (lane = ANY (ARRAY['image'::text, 'edit'::text, 'video'::text])),
  constraint renders_status_check CHECK (status = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'refused'::text, 'barred'::text]))
);
CREATE INDEX renders_active ON public.renders USING btree (account_id, lane) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE INDEX renders_overdue ON public.renders USING btree (accepted_at) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));

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

CREATE OR REPLACE FUNCTION public.api_project(account text, new_id text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  project text;
begin
  select id into project from projects where account_id = account and is_api;
  if project is null then
    insert into projects (id, account_id, title, is_api) values (new_id, account, 'API', true) returning id into project;
  end if;
  return project;
end $function$
;

CREATE OR REPLACE FUNCTION public.bar_render(account text, bar_token text, client text, new_id text)
 RETURNS TABLE(outcome text, render json)
 LANGUAGE plpgsql
AS $function$
declare
  r renders;
begin
  perform 1 from accounts where id = account for update;
  select * into r from renders where account_id = account and token = bar_token;
  if not found then
    insert into renders (id, account_id, token, client_id, status) values (new_id, account, bar_token, client, 'barred');
    perform record_change(account, 'render', bar_token, null::json);
    return query select 'barred', null::json;
  elsif r.status in ('barred', 'refused') then
    return query select 'barred', null::json;
  else
    return query select 'known', render_json(r);
  end if;
end $function$
;

CREATE OR REPLACE FUNCTION public.charge(account text, charge_token text, cost bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  a accounts;
  from_monthly bigint;
  seq bigint;
begin
  select * into strict a from accounts where id = account for update;
  if a.monthly_millicredits + a.lifetime_millicredits < cost then return null; end if;
  seq := a.ledger_seq;
  from_monthly := least(cost, a.monthly_millicredits);
  if from_monthly > 0 then
    seq := write_ledger(account, 'charge', 'monthly', -from_monthly, charge_token);
  end if;
  if cost > from_monthly then
    seq := write_ledger(account, 'charge', 'lifetime', from_monthly - cost, charge_token);
  end if;
  return seq;
end $function$
;

CREATE OR REPLACE FUNCTION public.clock()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$ select statement_timestamp() $function$
;

CREATE OR REPLACE FUNCTION public.count_assets()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update accounts a set outputs_bytes = a.outputs_bytes + c.bytes
    from (select account_id, sum(case tg_op when 'DELETE' then -size_bytes else size_bytes end) as bytes
            from changed group by account_id) c
   where a.id = c.account_id and a.id = any(array(select account_id from changed));
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_frames()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- A still never outlives its video's row.
  update accounts a set outputs_bytes = a.outputs_bytes + c.bytes
    from (select v.account_id, sum(case tg_op when 'DELETE' then -f.size_bytes else f.size_bytes end) as bytes
            from changed f join assets v on v.id = f.video_id
           where v.id = any(array(select video_id from changed)) group by v.account_id) c
   where a.id = c.account_id and a.id = any(array(
     select account_id from assets where id = any(array(select video_id from changed))));
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_uploads()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update accounts a set uploads_bytes = a.uploads_bytes + c.bytes
    from (select account_id, sum(case tg_op when 'DELETE' then -size_bytes else size_bytes end) as bytes
            from changed where status <> 'rejected' group by account_id) c
   -- An array, so that the rows are looked up however many the planner believes there are.
   where a.id = c.account_id and a.id = any(array(select account_id from changed));
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.delete_asset(account text, asset text)
 RETURNS SETOF text
 LANGUAGE plpgsql
AS $function$
begin
  perform 1 from accounts where id = account for update;
  return query
    with taken as (
      delete from frames f using assets a
      where f.video_id = a.id and a.id = asset and a.account_id = account returning f.storage_key
    ), gone as (
      select storage_key from assets where id = asset and account_id = account
      union all select storage_key from taken
    )
    insert into loose_folders (folder, remove_after)
    select distinct split_part(storage_key, '/', 1), clock() from gone
    on conflict (folder) do update set remove_after = clock() returning folder;
  delete from assets where id = asset and account_id = account;
end $function$
;

CREATE OR REPLACE FUNCTION public.delete_project(account text, project text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  perform 1 from accounts where id = account for update;
  delete from projects where id = project and account_id = account;
  if not found then return false; end if;
  update assets set project_id = null where project_id = project;
  update uploads set project_id = null where project_id = project;
  return true;
end $function$
;

CREATE OR REPLACE FUNCTION public.delete_upload(account text, upload_token text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  folder_of_file text;
begin
  perform 1 from accounts where id = account for update;
  insert into deleted_uploads (account_id, token) values (account, upload_token)
    on conflict (account_id, token) do update set deleted_at = clock();
  delete from uploads where account_id = account and token = upload_token
    returning split_part(storage_key, '/', 1) into folder_of_file;
  if folder_of_file is not null then
    insert into loose_folders (folder, remove_after) values (folder_of_file, clock())
      on conflict (folder) do update set remove_after = clock();
  end if;
  return folder_of_file;
end $function$
;

CREATE OR REPLACE FUNCTION public.discount_upload()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update accounts set uploads_bytes = uploads_bytes - new.size_bytes where id = new.account_id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.expire_frames(at_most integer)
 RETURNS SETOF text
 LANGUAGE plpgsql
AS $function$
declare
  due frames[];
begin
  due := array(select f from frames f where f.kept_until <= clock() order by f.kept_until limit at_most);
  -- Accounts before what is theirs, as everywhere.
  perform 1 from accounts where id = any(array(
    select v.account_id from unnest(due) d join assets v on v.id = d.video_id)) order by id for update;
  return query
    with gone as (
      delete from frames f using unnest(due) d
      where f.video_id = d.video_id and f.time_ms = d.time_ms and f.kept_until <= clock()
      returning split_part(f.storage_key, '/', 1) as folder
    )
    insert into loose_folders (folder, remove_after) select folder, clock() from gone
    on conflict (folder) do update set remove_after = clock() returning folder;
end $function$
;

CREATE OR REPLACE FUNCTION public.finish_render(render text, at_attempt integer, end_status text, end_error jsonb, made jsonb)
 RETURNS SETOF renders
 LANGUAGE plpgsql
AS $function$
declare
  r renders;
begin
  select * into r from renders where id = render;
  if not found then return; end if;
  perform 1 from accounts where id = r.account_id for update;
  update renders set status = end_status, error = end_error, completed_at = greatest(clock(), accepted_at),
    attempt = case when at_attempt is null then attempt + 1 else attempt end
  where id = render and status in ('queued', 'running') and attempt = coalesce(at_attempt, attempt)
  returning * into r;
  if not found then return; end if;
  if end_status = 'failed' then perform refund(r.account_id, r.token); end if;
  insert into assets (id, account_id, project_id, render_id, position, type, generation_type, storage_key, thumb_key,
    content_type, size_bytes, width, height, duration, aspect_ratio, nsfw, prompt_id, prompt)
  -- The project may have been deleted since.
  select m.id, r.account_id, (select p.id from projects p where p.id = r.project_id), r.id, m.position, m.type, r.kind,
    m.storage_key, m.thumb_key, m.content_type, m.size_bytes, m.width, m.height, m.duration, m.aspect_ratio, m.nsfw,
    r.prompt_id, r.request->>'prompt'
  from jsonb_to_recordset(made) as m (id text, position integer, type text, storage_key text, thumb_key text,
    content_type text, size_bytes bigint, width integer, height integer, duration double precision,
    aspect_ratio text, nsfw boolean);
  update projects set updated_at = clock() where id = r.project_id;
  perform record_change(r.account_id, 'render', r.token, render_json(r));
  return next r;
end $function$
;

CREATE OR REPLACE FUNCTION public.free_storage(account text, for_folder text)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(a.storage_override_bytes, a.limit_storage_bytes) - a.uploads_bytes - a.outputs_bytes
    - coalesce((select sum(l.reserved_bytes) from loose_folders l
        where l.account_id = account and l.folder <> for_folder), 0)::bigint
  from accounts a where a.id = account
$function$
;

CREATE OR REPLACE FUNCTION public.iso_time(moment timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$ select to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $function$
;

CREATE OR REPLACE FUNCTION public.limits_json(account text, asking_client text)
 RETURNS json
 LANGUAGE sql
 STABLE
AS $function$
  select json_build_object(
    'overall', json_build_object('limit', a.limit_overall, 'running', r.all_running, 'running_elsewhere', r.all_elsewhere),
    'image', json_build_object('limit', a.limit_image, 'running', r.image, 'running_elsewhere', r.image_elsewhere),
    'edit', json_build_object('limit', a.limit_edit, 'running', r.edit, 'running_elsewhere', r.edit_elsewhere),
    'video', json_build_object('limit', a.limit_video, 'running', r.video, 'running_elsewhere', r.video_elsewhere))
  from accounts a, lateral (
    select count(*) as all_running, count(*) filter (where client_id <> asking_client) as all_elsewhere,
      count(*) filter (where lane = 'image') as image,
      count(*) filter (where lane = 'image' and client_id <> asking_client) as image_elsewhere,
      count(*) filter (where lane = 'edit') as edit,
      count(*) filter (where lane = 'edit' and client_id <> asking_client) as edit_elsewhere,
      count(*) filter (where lane = 'video') as video,
      count(*) filter (where lane = 'video' and client_id <> asking_client) as video_elsewhere
    from renders where account_id = account and status in ('queued', 'running')
  ) r where a.id = account
$function$
;

CREATE OR REPLACE FUNCTION public.next_refill(anchor timestamp with time zone, after timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select min(moment) from (
    select (anchor at time zone 'UTC' + interval '1 month' * n) at time zone 'UTC' as moment
    from generate_series(
      (extract(year from after at time zone 'UTC') - extract(year from anchor at time zone 'UTC'))::integer * 12
        + (extract(month from after at time zone 'UTC') - extract(month from anchor at time zone 'UTC'))::integer - 1,
      (extract(year from after at time zone 'UTC') - extract(year from anchor at time zone 'UTC'))::integer * 12
        + (extract(month from after at time zone 'UTC') - extract(month from anchor at time zone 'UTC'))::integer + 1
    ) as n where n > 0
  ) as moments where moment > after
$function$
;

CREATE OR REPLACE FUNCTION public.record_change(account text, change_type text, change_token text, render json, upload json DEFAULT NULL::json)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  change_number bigint;
begin
  update accounts set change_seq = change_seq + 1 where id = account returning change_seq into strict change_number;
  insert into changes (account_id, seq, type, token, render, upload)
  values (account, change_number, change_type, change_token, render, upload);
  return change_number;
end $function$
;

CREATE OR REPLACE FUNCTION public.refill(account text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  a accounts;
begin
  select * into strict a from accounts where id = account for update;
  if a.next_refill_at > clock() or a.deleted_at is not null then return false; end if;
  if a.monthly_millicredits > 0 then
    perform write_ledger(account, 'expiry', 'monthly', -a.monthly_millicredits, null);
  end if;
  if a.allowance_millicredits > 0 then
    perform write_ledger(account, 'grant', 'monthly', a.allowance_millicredits, null);
  end if;
  update accounts set last_refill_at = clock(), next_refill_at = next_refill(refill_anchor, clock())
  where id = account;
  return true;
end $function$
;

CREATE OR REPLACE FUNCTION public.refund(account text, refund_token text)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  a accounts;
  c record;
  seq bigint;
  excess bigint;
begin
  perform refill(account);
  for c in
    select charged.bucket, -charged.amount_millicredits as amount, charged.created_at from ledger charged
    where charged.account_id = account and charged.token = refund_token and charged.kind = 'charge'
      and not exists (select 1 from ledger given where given.account_id = account and given.token = refund_token
        and given.bucket = charged.bucket and given.kind = 'refund')
    order by charged.seq
  loop
    seq := write_ledger(account, 'refund', c.bucket, c.amount, refund_token);
    select * into strict a from accounts where id = account;
    excess := least(c.amount, a.monthly_millicredits - a.allowance_millicredits);
    if c.bucket = 'monthly' and c.created_at < a.last_refill_at and excess > 0 then
      seq := write_ledger(account, 'expiry', 'monthly', -excess, null);
    end if;
  end loop;
  return seq;
end $function$
;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin raise exception 'rows of % are never changed', tg_table_name; end $function$
;

CREATE OR REPLACE FUNCTION public.render_json(r renders)
 RETURNS json
 LANGUAGE sql
 STABLE
AS $function$
  select json_build_object(
    'token', r.token, 'render_id', r.id, 'kind', r.kind, 'status', r.status, 'prompt_id', r.prompt_id,
    'project_id', r.project_id, 'cost_millicredits', r.cost_millicredits, 'ledger_seq', r.ledger_seq,
    'expected_outputs', r.expected_outputs,
    'outputs', coalesce((
      select json_agg(json_build_object(
        'id', a.id, 'type', a.type, 'url', a.storage_key, 'thumb_url', a.thumb_key, 'width', a.width,
        'height', a.height, 'duration', a.duration, 'nsfw', a.nsfw, 'request_id', a.position) order by a.position)
      from assets a where a.render_id = r.id), '[]'::json),
    'error', r.error, 'accepted_at', iso_time(r.accepted_at), 'completed_at', iso_time(r.completed_at))
$function$
;

CREATE OR REPLACE FUNCTION public.reserve_storage(account text, for_folder text, needed bigint, wanted bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  granted bigint;
begin
  perform 1 from accounts where id = account for update;
  granted := least(greatest(needed, wanted), free_storage(account, for_folder));
  if granted is null or granted < needed then return null; end if;
  update loose_folders set account_id = account, reserved_bytes = granted where folder = for_folder;
  return granted;
end $function$
;

CREATE OR REPLACE FUNCTION public.search_words(account text, search text)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select quote_literal(account)::tsquery && string_agg(
    '''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || ''':*', ' & ')::tsquery
  from unnest(to_tsvector('simple', search))
$function$
;

CREATE OR REPLACE FUNCTION public.settle_upload(upload text, end_status text, end_error text)
 RETURNS SETOF uploads
 LANGUAGE plpgsql
AS $function$
declare
  u uploads;
begin
  select * into u from uploads where id = upload;
  if not found then return; end if;
  perform 1 from accounts where id = u.account_id for update;
  update uploads set status = end_status, error = end_error, settled_at = greatest(clock(), created_at)
  where id = upload and status = 'processing' returning * into u;
  if not found then return; end if;
  perform record_change(u.account_id, 'upload', u.token, null, upload_json(u));
  return next u;
end $function$
;

CREATE OR REPLACE FUNCTION public.start_render(render text, most_attempts integer)
 RETURNS SETOF renders
 LANGUAGE sql
AS $function$
  update renders set status = 'running', attempt = attempt + 1,
    started_at = coalesce(started_at, clock())
  where id = render and status in ('queued', 'running') and attempt < most_attempts + excused
  returning *
$function$
;

CREATE OR REPLACE FUNCTION public.storage_json(a accounts)
 RETURNS json
 LANGUAGE sql
 STABLE
AS $function$
  select json_build_object(
    'used_bytes', a.uploads_bytes + a.outputs_bytes,
    'limit_bytes', coalesce(a.storage_override_bytes, a.limit_storage_bytes),
    'uploads_bytes', a.uploads_bytes, 'outputs_bytes', a.outputs_bytes)
$function$
;

CREATE OR REPLACE FUNCTION public.submit_renders(items jsonb)
 RETURNS TABLE(item integer, outcome text, answer json, job_priority integer)
 LANGUAGE plpgsql
AS $function$
declare
  entry jsonb;
  a accounts;
  r renders;
  running integer;
  running_in_lane integer;
  project text;
  charged bigint;
  refused jsonb;
begin
  -- An array, not a join with a set of unknown size: that read the whole table.
  perform 1 from accounts where id = any(array(select value->>'account' from jsonb_array_elements(items)))
    order by id for update;
  for item, entry in select ordinality - 1, value from jsonb_array_elements(items) with ordinality loop
    answer := null;
    job_priority := null;
    refused := null;
    select * into r from renders where account_id = entry->>'account' and token = entry->>'token';
    if found then
      outcome := case r.status when 'refused' then 'refused' when 'barred' then 'barred' else 'accepted' end;
      answer := case outcome when 'refused' then r.refusal::json when 'accepted' then render_json(r) end;
      return next;
      continue;
    end if;
    if to_timestamp((entry->>'quote_expires')::double precision) < clock() then
      outcome := 'refused';
      answer := '{"code":"quote_invalid"}';
      return next;
      continue;
    end if;
    perform refill(entry->>'account');
    select * into strict a from accounts where id = entry->>'account';
    select count(*), count(*) filter (where lane = entry->>'lane') into running, running_in_lane
      from renders where account_id = a.id and status in ('queued', 'running');
    project := coalesce(entry->>'project', api_project(a.id, entry->>'api_project'));
    refused := case
      when a.suspended then '{"code":"account_suspended"}'
      when not a.email_verified then '{"code":"email_not_verified"}'
      when a.region_blocked then '{"code":"geo_blocked"}'
      when jsonb_typeof(entry->'refusal') = 'object' then entry->'refusal'
      when not exists (select 1 from projects where id = project and account_id = a.id)
        then '{"code":"unprocessable","field":"project_id"}'
    end;
    if refused is null and ((entry->>'waits')::boolean or running >= a.limit_overall
      or running_in_lane >= case entry->>'lane' when 'image' then a.limit_image when 'edit' then a.limit_edit
        else a.limit_video end) then
      outcome := 'busy';
      answer := limits_json(a.id, entry->>'client');
      return next;
      continue;
    end if;
    if refused is null then
      charged := case (entry->>'cost')::bigint when 0 then a.ledger_seq
        else charge(a.id, entry->>'token', (entry->>'cost')::bigint) end;
      if charged is null then refused := '{"code":"insufficient_credits"}'; end if;
    end if;
    insert into renders (id, account_id, token, client_id, status, kind, lane, model, request, prompt_id,
      project_id, cost_millicredits, ledger_seq, expected_outputs, job_id, refusal)
    values (entry->>'render', a.id, entry->>'token', entry->>'client',
      case when refused is null then 'queued' else 'refused' end, entry->'request'->>'kind', entry->>'lane',
      entry->'request'->>'model', entry->'request', entry->>'prompt', project, (entry->>'cost')::bigint, charged,
      (entry->>'outputs')::integer, (entry->>'job')::uuid, refused)
    returning * into r;
    if refused is null then
      outcome := 'accepted';
      answer := render_json(r);
      job_priority := -running;
      perform record_change(a.id, 'render', r.token, answer);
    else
      outcome := 'refused';
      answer := refused::json;
    end if;
    return next;
  end loop;
end $function$
;

CREATE OR REPLACE FUNCTION public.upload_json(u uploads)
 RETURNS json
 LANGUAGE sql
 STABLE
AS $function$
  select json_build_object(
    'token', u.token, 'type', u.type, 'status', u.status, 'url', u.storage_key, 'file_name', u.file_name,
    'content_type', u.content_type, 'size_bytes', u.size_bytes, 'width', u.width, 'height', u.height,
    'duration_seconds', u.duration, 'project_id', u.project_id, 'error', u.error,
    'created_at', iso_time(u.created_at))
$function$
;

CREATE OR REPLACE FUNCTION public.write_ledger(account text, entry_kind text, entry_bucket text, amount bigint, entry_token text)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  entry_seq bigint;
  balance bigint;
begin
  update accounts set ledger_seq = ledger_seq + 1,
    monthly_millicredits = monthly_millicredits + case entry_bucket when 'monthly' then amount else 0 end,
    lifetime_millicredits = lifetime_millicredits + case entry_bucket when 'lifetime' then amount else 0 end
  where id = account
  returning ledger_seq, case entry_bucket when 'monthly' then monthly_millicredits else lifetime_millicredits end
  into strict entry_seq, balance;
  insert into ledger (account_id, seq, kind, bucket, amount_millicredits, balance_after_millicredits, token)
  values (account, entry_seq, entry_kind, entry_bucket, amount, balance, entry_token);
  return entry_seq;
end $function$
;
