-- What claims and records deliveries keeps one plan each, as planning costs as much as the work itself. Such a plan may
-- be made while there is next to nothing, and be used when there is much: so tables are asked by key in a form that leaves
-- no choice, as `any (array(...))`, or row by row as `lateral (... offset 0)`.

-- Claims what is due for attempts. Endpoints take turns: first one of each account, who was served longest ago first,
-- and of each its oldest. An endpoint whose last attempt failed, or that was never tried, gets one at a time; of those
-- that failed p_failing_places are served at most. p_several: others may have four under way instead of one.
create or replace function claim_deliveries(
  p_owner text,
  p_lease interval,
  -- Attempts that the caller has room for.
  p_places integer,
  p_failing_places integer,
  p_several boolean
) returns table (
  delivery_id text, try integer, number integer, endpoint_id text, failing boolean, url text,
  secret_sealed text, previous_secret_sealed text, event_type text, body text
)
language plpgsql volatile
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
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
$$;

-- Records results, each if its claim still holds, and answers the deliveries that it recorded. p_delays: seconds
-- before each attempt of the schedule, counted from the end of the one before, which is now. Whose endpoint is locked is
-- answered with the status `busy` and not recorded; with p_wait it is waited for, and results are of one endpoint only.
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
  with told as materialized (
    select r.*, r.failure is null as ok, r.number >= cardinality(p_delays) as last_one, q.attempts,
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
    -- Of several results of one endpoint the last one counts.
    update endpoint_turns t
       set state = case when l.failure is null then 'healthy' else 'failing' end,
           failing_since = case when l.failure is not null then coalesce(t.failing_since, at) end,
           leases = leases_left(t.leases, l.given_back, at)
      from (select endpoint_id, (array_agg(failure order by place desc))[1] as failure, array_agg(lease_until) as given_back
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
$$;

-- Runs seldom, and is planned for what there is.
-- Ends up to p_most deliveries of a deleted endpoint and answers how many it ended. What is under way may still be
-- delivered.
create or replace function end_deliveries(p_endpoint_id text, p_most integer) returns integer
language plpgsql volatile
set enable_seqscan = off
set enable_bitmapscan = off
as $$
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
$$;
