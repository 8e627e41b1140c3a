-- Decides submits of any accounts in one transaction. Locks the accounts in the order of their ids, because two groups
-- with different orders would deadlock, then decides each submit in turn. `answer` is a render, a refusal or the
-- limits. `is_new`: the submit lets a new render wait. `studio/src/renders/submit-render.ts` checks the request before:
-- `refusal` has its refusal, and `quote_expires` is 0 for a quote that is not of this request.
create or replace function accept_renders(items jsonb)
returns table (item integer, outcome text, answer json, is_new boolean) language plpgsql as $$
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
  -- An array: a join with a set of unknown size read the whole table.
  perform 1 from accounts where id = any(array(select value->>'account' from jsonb_array_elements(items)))
    order by id for update;
  for item, entry in select ordinality - 1, value from jsonb_array_elements(items) with ordinality loop
    answer := null;
    is_new := false;
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
      from renders where account_id = a.id and status in ('queued', 'running') and completed_at is null;
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
    is_new := refused is null;
    insert into renders (id, account_id, token, client_id, status, kind, lane, model, model_version, request, prompt_id,
      project_id, cost_millicredits, ledger_seq, expected_outputs, refusal, shape, seed, not_before, tag)
    values (entry->>'render', a.id, entry->>'token', entry->>'client',
      case when is_new then 'queued' else 'refused' end, entry->'request'->>'kind', entry->>'lane',
      entry->'request'->>'model', (entry->>'model_version')::integer, entry->'request', entry->>'prompt', project,
      (entry->>'cost')::bigint, charged, (entry->>'outputs')::integer, refused, entry->'waiting'->'shape',
      (entry->'waiting'->>'seed')::bigint,
      clock() + nullif((entry->'waiting'->>'delay_seconds')::real, 0) * interval '1 second',
      case when is_new then fair_start(a.id, (entry->'waiting'->>'expected_seconds')::real) end)
    returning * into r;
    if is_new then
      outcome := 'accepted';
      answer := render_json(r);
      perform record_change(a.id, 'render', r.token, answer);
    else
      outcome := 'refused';
      answer := refused::json;
    end if;
    return next;
  end loop;
end $$;
