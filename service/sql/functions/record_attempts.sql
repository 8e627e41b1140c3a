-- Records results, each only if its claim is still valid, and returns the recorded deliveries. p_delays: seconds before
-- each attempt of the schedule, counted from the end of the last attempt, which is now. If an endpoint is locked, its
-- results are not recorded and have the status `busy`. With p_wait the function waits for the lock, and all results
-- must be of one endpoint. The delays are in `service/src/webhooks/retry-schedule.ts`;
-- `service/src/webhooks/deliveries/attempt.ts` decides whether an attempt failed.
create or replace function record_attempts(p_results json, p_delays integer[], p_wait boolean)
returns table (delivery_id text, status text)
language plpgsql volatile
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
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
  with reported as materialized (
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
  ), outcomes as materialized (
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
      from reported t
  ), attempt as (
    insert into delivery_attempts (delivery_id, try, number, started_at, ended_at, duration_ms, status, failure, answer)
      select o.delivery_id, o.try, o.number, o.claimed_at, at, o.duration_ms, o.status, o.failure, o.answer
        from outcomes o
  ), done as (
    delete from delivery_queue q
     where q.delivery_id = any (array(
       select o.delivery_id from outcomes o where o.scheduled_at is null and o.resend_at is null))
  ), waiting as (
    update delivery_queue q
       set scheduled_at = o.scheduled_at, resend_at = o.resend_at, claim_at = least(o.scheduled_at, o.resend_at),
           attempts = o.attempts, lease_owner = null, lease_until = null, claimed_at = null, claimed_number = null
      from outcomes o
     where q.delivery_id = o.delivery_id and q.delivery_id = any (array(
       select o.delivery_id from outcomes o where o.scheduled_at is not null or o.resend_at is not null))
  ), turn as (
    -- The last of several results of one endpoint counts. Any attempt decides how the endpoint is served. Only events
    -- decide since when it is failing: a failed ping changes nothing there, but a success of either ends the failure.
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
              from reported group by endpoint_id) l
     where t.endpoint_id = l.endpoint_id and t.endpoint_id = any (locked)
  )
  update deliveries d
     set status = o.after, given_up = case when o.after in ('failed', 'ended') then o.after end,
         attempts = o.attempts, tries = o.try, last_status = o.status, last_failure = o.failure,
         last_attempt_at = at, completed_at = case when o.after = o.before then d.completed_at else at end
    from outcomes o
   where d.id = o.delivery_id and d.id = any (array(select o.delivery_id from outcomes o))
  returning d.id, d.status;

  perform refresh_next_due(locked, at);
end
$$;
