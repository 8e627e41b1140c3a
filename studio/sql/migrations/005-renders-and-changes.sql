-- Work taken on, one row per token of an account for ever: the same token gets the same answer. Refused and
-- barred tokens are rows too, so that their answer stands.
create table renders (
  id text primary key,
  account_id text not null references accounts,
  token text not null,
  -- The OAuth client that submitted it.
  client_id text not null,
  status text not null check (status in ('queued', 'running', 'succeeded', 'failed', 'refused', 'barred')),
  kind text,
  lane text check (lane in ('image', 'edit', 'video')),
  model text,
  -- Null once the account is erased.
  request jsonb,
  prompt_id text,
  project_id text,
  cost_millicredits bigint,
  ledger_seq bigint,
  expected_outputs integer,
  -- pg-boss's job.
  job_id uuid,
  -- Raised by each start; every later write names it, so that a worker that wakes late writes nothing.
  attempt integer not null default 0,
  refusal jsonb,
  error jsonb,
  accepted_at timestamptz not null default clock(),
  started_at timestamptz,
  completed_at timestamptz,
  unique (account_id, token)
);
create index renders_active on renders (account_id, lane) where status in ('queued', 'running');
create index renders_overdue on renders (accepted_at) where status in ('queued', 'running');

-- The feed of what moved. Its number is the account's own counter, raised under the account's row lock in the
-- transaction of the change: a reader who has seen number n has seen all below it.
create table changes (
  account_id text not null references accounts,
  seq bigint not null,
  type text not null check (type in ('render', 'upload')),
  token text not null,
  render json,
  created_at timestamptz not null default clock(),
  primary key (account_id, seq)
);
create index changes_age on changes (created_at);

create function record_change(account text, change_type text, change_token text, render json) returns bigint
language plpgsql as $$
declare
  change_number bigint;
begin
  update accounts set change_seq = change_seq + 1 where id = account returning change_seq into strict change_number;
  insert into changes (account_id, seq, type, token, render)
  values (account, change_number, change_type, change_token, render);
  return change_number;
end $$;

-- A render as the contract shows it, but for the links, which lack the studio's public address in front.
create function render_json(r renders) returns json language sql stable as $$
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
$$;

-- What runs against what may run, per lane and overall; `running_elsewhere` is what the asking client did not start.
create function limits_json(account text, asking_client text) returns json language sql stable as $$
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
$$;

-- The account's one project for work that names none.
create function api_project(account text, new_id text) returns text language plpgsql as $$
declare
  project text;
begin
  select id into project from projects where account_id = account and is_api;
  if project is null then
    insert into projects (id, account_id, title, is_api) values (new_id, account, 'API', true) returning id into project;
  end if;
  return project;
end $$;

-- Takes submits of any accounts in one transaction: locks the accounts in the order of their ids (two groups in
-- different orders would deadlock), then decides each in turn. `answer` is a render, a refusal or the limits.
-- `job_priority` is set where a job has to be enqueued: it falls with what the account has pending.
create function submit_renders(items jsonb)
returns table (item integer, outcome text, answer json, job_priority integer) language plpgsql as $$
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
    if refused is null and (running >= a.limit_overall
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
end $$;

-- After this no submit of the token is ever accepted, unless the render is already there: then it is handed out.
create function bar_render(account text, bar_token text, client text, new_id text)
returns table (outcome text, render json) language plpgsql as $$
declare
  r renders;
begin
  perform 1 from accounts where id = account for update;
  select * into r from renders where account_id = account and token = bar_token;
  if not found then
    insert into renders (id, account_id, token, client_id, status) values (new_id, account, bar_token, client, 'barred');
    return query select 'barred', null::json;
  elsif r.status in ('barred', 'refused') then
    return query select 'barred', null::json;
  else
    return query select 'known', render_json(r);
  end if;
end $$;

-- Takes a render for one more attempt, the third being the last. No row where it is finished or used up.
create function start_render(render text, most_attempts integer) returns setof renders
language sql as $$
  update renders set status = 'running', attempt = attempt + 1,
    started_at = coalesce(started_at, clock())
  where id = render and status in ('queued', 'running') and attempt < most_attempts
  returning *
$$;

-- The end of a render: what it made, what went wrong, the money back if nothing was made, and the word to the
-- account's readers, in one. `at_attempt` fences out a worker that was overtaken; null (the job was lost
-- with its worker) fences out all of them. No row where it was fenced out.
create function finish_render(render text, at_attempt integer, end_status text, end_error jsonb, made jsonb)
returns setof renders language plpgsql as $$
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
    content_type, size_bytes, width, height, duration, aspect_ratio, nsfw, prompt_id)
  select m.id, r.account_id, r.project_id, r.id, m.position, m.type, r.kind, m.storage_key, m.thumb_key,
    m.content_type, m.size_bytes, m.width, m.height, m.duration, m.aspect_ratio, m.nsfw, r.prompt_id
  from jsonb_to_recordset(made) as m (id text, position integer, type text, storage_key text, thumb_key text,
    content_type text, size_bytes bigint, width integer, height integer, duration double precision,
    aspect_ratio text, nsfw boolean);
  update projects set updated_at = clock() where id = r.project_id;
  perform record_change(r.account_id, 'render', r.token, render_json(r));
  return next r;
end $$;
