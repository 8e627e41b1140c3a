-- Two functions anew. An attempt that was under way when its endpoint was deleted ends its delivery: it waited a minute
-- for a retry that nobody would make. And writing an event scans no table, however its plan came about.

-- Records results, each if its claim still holds, and answers the deliveries that it recorded. p_delays: seconds
-- before each attempt of the schedule, counted from the end of the one before, which is now.
create or replace function record_attempts(p_results json, p_delays integer[])
returns table (delivery_id text, status text)
language plpgsql volatile
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  at timestamptz;
  results attempt_result[];
begin
  results := array(select r from json_populate_recordset(null::attempt_result, p_results) as r);
  perform 1 from endpoint_turns
    where endpoint_id in (select endpoint_id from unnest(results)) order by endpoint_id for no key update;
  at := clock();
  results := array(
    select r from unnest(results) as r
      join delivery_queue q on q.delivery_id = r.delivery_id and q.tries = r.try and q.lease_until is not null);

  return query
  with told as (
    select r.*, r.failure is null as ok, r.number >= cardinality(p_delays) as last_one, q.attempts,
           q.scheduled_at, case when q.resend_at > a.started_at then q.resend_at end as resend_at, d.status as before,
           e.deleted_at is not null as deleted
      from unnest(results) r
      join delivery_queue q on q.delivery_id = r.delivery_id
      join deliveries d on d.id = r.delivery_id
      join webhook_endpoints e on e.id = d.endpoint_id
      join delivery_attempts a on a.delivery_id = r.delivery_id and a.try = r.try
  ), judged as (
    select t.delivery_id, t.try, t.duration_ms, t.status, t.failure, t.answer, t.before,
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
    update delivery_attempts a
       set ended_at = at, duration_ms = j.duration_ms, status = j.status, failure = j.failure, answer = j.answer
      from judged j where a.delivery_id = j.delivery_id and a.try = j.try
  ), done as (
    delete from delivery_queue q using judged j
     where q.delivery_id = j.delivery_id and j.scheduled_at is null and j.resend_at is null
  ), waiting as (
    update delivery_queue q
       set scheduled_at = j.scheduled_at, resend_at = j.resend_at, claim_at = least(j.scheduled_at, j.resend_at),
           attempts = j.attempts, lease_owner = null, lease_until = null
      from judged j
     where q.delivery_id = j.delivery_id and (j.scheduled_at is not null or j.resend_at is not null)
  )
  update deliveries d
     set status = j.after, attempts = j.attempts, tries = j.try, last_status = j.status, last_failure = j.failure,
         last_attempt_at = at, completed_at = case when j.after = j.before then d.completed_at else at end
    from judged j where d.id = j.delivery_id
  returning d.id, d.status;

  -- Of several results of one endpoint the last one counts.
  update endpoint_turns t
     set state = case when l.failure is null then 'healthy' else 'failing' end,
         failing_since = case when l.failure is not null then coalesce(t.failing_since, at) end,
         next_due = next_due_of(t.endpoint_id, l.failure is null, at)
    from (select distinct on (r.endpoint_id) r.endpoint_id, r.failure
            from unnest(results) with ordinality as
                 r (delivery_id, endpoint_id, try, number, duration_ms, status, failure, answer, place)
           order by r.endpoint_id, r.place desc) l
   where t.endpoint_id = l.endpoint_id;
end
$$;

-- Writes an event, once per subject, with a delivery for each endpoint of the account that is active and subscribed
-- now. Answers how many deliveries; wake the deliverers after the commit if there are any. May be called from within
-- another statement.
create or replace function write_event(
  p_event_id text,
  p_account_id text,
  p_type text,
  p_subject_id text,
  p_body text,
  p_at timestamptz
) returns integer
language sql volatile
set enable_seqscan = off
as $$
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
    on conflict (endpoint_id) do update set next_due = least(t.next_due, excluded.next_due)
  )
  select count(*)::integer from delivery
$$;
