-- Claims due deliveries for attempts. Endpoints take turns: first one endpoint of each account, the one served longest
-- ago first, and the oldest delivery of each. An endpoint whose last attempt failed, or that was never tried, gets one
-- attempt at a time. At most p_failing_places endpoints with a failed last attempt are served. With p_several, others
-- may have four attempts in progress instead of one.
create or replace function claim_deliveries(
  p_owner text,
  p_lease interval,
  -- How many attempts the caller has capacity for.
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
  -- Skips locked endpoints: another transaction is serving them.
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

  -- From here on, the locks are held and the snapshot is newer than the locks.
  return query
  with capacity as materialized (
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
      from capacity r
     -- A constant: a limit from a subquery would sort the whole queue. At most four leased rows are skipped.
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

  -- Ends deliveries that were written while their endpoint was being deleted, or that a crash left behind.
  for deleted in
    select e.id from webhook_endpoints e where e.id = any (locked) and e.deleted_at is not null
  loop
    perform end_deliveries(deleted, 500);
  end loop;

  perform refresh_next_due(locked, at);
end
$$;
