-- Taking deliveries out of the queue, and recording what came of them.

-- Attempts of one endpoint under way at once stand in two places below: 4 where its last attempt was a success,
-- else 1.

-- When an endpoint may next be served; its row in endpoint_turns is locked. Full: when the first lease may lapse, for
-- before that only a recorded result makes room, and recording asks again.
create function next_due_of(p_endpoint_id text, p_healthy boolean, p_at timestamptz) returns timestamptz
language sql stable
as $$
  select case
    when (select count(*) from delivery_queue q where q.endpoint_id = p_endpoint_id and q.lease_until > p_at)
         >= case when p_healthy then 4 else 1 end
      then (select min(q.lease_until) from delivery_queue q
             where q.endpoint_id = p_endpoint_id and q.lease_until > p_at)
    -- Paused: its pings alone go on.
    when (select e.paused_at is not null and e.deleted_at is null from webhook_endpoints e where e.id = p_endpoint_id)
      then (select q.claim_at from delivery_queue q
             where q.endpoint_id = p_endpoint_id and q.ping order by q.claim_at limit 1)
    else (select q.claim_at from delivery_queue q
           where q.endpoint_id = p_endpoint_id order by q.claim_at limit 1)
  end
$$;

-- Ends up to p_most deliveries of a deleted endpoint and answers how many it ended. What is under way may still be
-- delivered.
create function end_deliveries(p_endpoint_id text, p_most integer) returns integer
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
  ), marked as (
    update deliveries d set status = 'ended', completed_at = at
      from waiting w where d.id = w.delivery_id and d.status = 'pending'
  )
  select count(*) into ended from waiting;
  update endpoint_turns t set next_due = next_due_of(t.endpoint_id, false, at)
   where t.endpoint_id = p_endpoint_id;
  return ended;
end
$$;

-- Claims what is due for attempts. Endpoints take turns: first one of each account, who was served longest ago first,
-- and of each its oldest. An endpoint whose last attempt failed, or that was never tried, gets one at a time; of those
-- that failed p_failing_places are served at most. p_several: others may have more than one under way.
create function claim_deliveries(
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
     where t.endpoint_id in (
       (select c.endpoint_id
          from (select endpoint_id, last_served_at,
                       row_number() over (partition by account_id order by last_served_at nulls first) as place
                  from endpoint_turns where next_due <= at and state <> 'failing') c
         order by c.place, c.last_served_at nulls first limit p_places)
       union all
       (select c.endpoint_id
          from (select endpoint_id, last_served_at,
                       row_number() over (partition by account_id order by last_served_at nulls first) as place
                  from endpoint_turns where next_due <= at and state = 'failing') c
         order by c.place, c.last_served_at nulls first limit p_failing_places))
     order by t.endpoint_id for no key update skip locked);
  if locked = '{}' then
    return;
  end if;

  -- From here on with the locks held and a snapshot taken after.
  return query
  with room as (
    select t.endpoint_id, t.account_id, t.last_served_at, t.state = 'failing' as failing,
           e.paused_at is not null as paused,
           case when t.state = 'healthy' and p_several then 4 else 1 end
           - (select count(*) from delivery_queue f where f.endpoint_id = t.endpoint_id and f.lease_until > at)
             as places
      from endpoint_turns t join webhook_endpoints e on e.id = t.endpoint_id and e.deleted_at is null
     where t.endpoint_id = any (locked)
  ), oldest as (
    select r.*, w.delivery_id, w.lease_owner,
           row_number() over (partition by r.endpoint_id order by w.claim_at, w.delivery_id) as place
      from room r
     -- The limit is constant: one that came from a subquery would sort the whole queue.
     cross join lateral (
       (select q.delivery_id, q.claim_at, q.lease_owner from delivery_queue q
         where q.endpoint_id = r.endpoint_id and q.claim_at <= at and not r.paused
         order by q.claim_at, q.delivery_id limit 4)
       union all
       (select q.delivery_id, q.claim_at, q.lease_owner from delivery_queue q
         where q.endpoint_id = r.endpoint_id and q.claim_at <= at and q.ping and r.paused
         order by q.claim_at, q.delivery_id limit 4)) w
     where r.places > 0
  ), fair as (
    select o.*, row_number() over (partition by o.account_id order by o.place, o.last_served_at nulls first) as turn
      from oldest o where o.place <= o.places
  ), chosen as (
    select f.* from fair f order by f.turn, f.last_served_at nulls first limit p_places
  ), claimed as (
    update delivery_queue q
       set tries = q.tries + 1, lease_owner = p_owner, lease_until = lease_end, claim_at = lease_end
      from chosen c where q.delivery_id = c.delivery_id
    returning q.delivery_id, q.tries, q.endpoint_id, c.failing, c.lease_owner is not null as cut_off,
              case when q.scheduled_at <= at then q.attempts + 1 end as number
  ), begun as (
    insert into delivery_attempts (delivery_id, try, number, started_at)
      select c.delivery_id, c.tries, c.number, at from claimed c
  ), cut_off as (
    update delivery_attempts a set ended_at = at, failure = 'interrupted'
      from claimed c
     where c.cut_off and a.delivery_id = c.delivery_id and a.try = c.tries - 1 and a.ended_at is null
  )
  select c.delivery_id, c.tries, c.number, c.endpoint_id, c.failing, e.url, e.secret_sealed,
         case when e.previous_secret_until > at then e.previous_secret_sealed end, d.event_type, v.body
    from claimed c
    join deliveries d on d.id = c.delivery_id
    join events v on v.id = d.event_id
    join webhook_endpoints e on e.id = c.endpoint_id;

  -- Written while its endpoint was being deleted, or left behind by a crash.
  for deleted in
    select e.id from webhook_endpoints e where e.id = any (locked) and e.deleted_at is not null
  loop
    perform end_deliveries(deleted, 500);
  end loop;

  update endpoint_turns t
     set next_due = next_due_of(t.endpoint_id, t.state = 'healthy', at),
         last_served_at = case when exists (
             select from delivery_queue q
              where q.endpoint_id = t.endpoint_id and q.lease_until = lease_end and q.lease_owner = p_owner)
           then at else t.last_served_at end
   where t.endpoint_id = any (locked);
end
$$;

-- What came of one attempt.
create type attempt_result as (
  delivery_id text,
  endpoint_id text,
  try integer,
  number integer,
  duration_ms integer,
  status integer,
  failure text,
  answer text
);

-- Records results, each if its claim still holds, and answers the deliveries that it recorded. p_delays: seconds
-- before each attempt of the schedule, counted from the end of the one before, which is now.
create function record_attempts(p_results json, p_delays integer[])
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
           q.scheduled_at, case when q.resend_at > a.started_at then q.resend_at end as resend_at, d.status as before
      from unnest(results) r
      join delivery_queue q on q.delivery_id = r.delivery_id
      join deliveries d on d.id = r.delivery_id
      join delivery_attempts a on a.delivery_id = r.delivery_id and a.try = r.try
  ), judged as (
    select t.delivery_id, t.try, t.duration_ms, t.status, t.failure, t.answer, t.before,
           coalesce(t.number, t.attempts) as attempts,
           case when t.ok then 'delivered' when t.before = 'pending' and t.last_one then 'failed'
                else t.before end as after,
           case when t.ok or t.before <> 'pending' then null
                when t.number is null then t.scheduled_at
                when not t.last_one then at + p_delays[t.number + 1] * interval '1 second' end as scheduled_at,
           case when t.before <> 'ended' then t.resend_at end as resend_at
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
