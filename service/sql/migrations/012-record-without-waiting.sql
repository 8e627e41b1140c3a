-- Recording several endpoints' results waits for none of them any more. It took their rows one after another, in order;
-- but a transaction that ends uploads and generations of several accounts takes them in the order of what happened, and
-- the two could wait for each other.

drop function record_attempts(json, integer[]);

-- Records results, each if its claim still holds, and answers the deliveries that it recorded. p_delays: seconds
-- before each attempt of the schedule, counted from the end of the one before, which is now. Whose endpoint is locked is
-- answered with the status `busy` and not recorded; with p_wait it is waited for, and results are of one endpoint only.
create function record_attempts(p_results json, p_delays integer[], p_wait boolean)
returns table (delivery_id text, status text)
language plpgsql volatile
set enable_seqscan = off
set enable_bitmapscan = off
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
                     where endpoint_id in (select endpoint_id from unnest(results)) for no key update);
  else
    locked := array(select endpoint_id from endpoint_turns
                     where endpoint_id in (select endpoint_id from unnest(results)) for no key update skip locked);
  end if;
  return query select r.delivery_id, 'busy' from unnest(results) as r where r.endpoint_id <> all (locked);
  at := clock();
  results := array(
    select r from unnest(results) as r
      join delivery_queue q on q.delivery_id = r.delivery_id and q.tries = r.try and q.lease_until is not null
     where r.endpoint_id = any (locked));

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
