-- A delivery in fewer writes. An attempt under way stands in its queue row alone, and its record is written once, with
-- what came of it; leases are counted in the endpoint's turn; and no column that every delivery changes stands in an
-- index, so that most updates stay on their page. The functions keep one plan each, which goes by keys whatever the
-- tables hold: planning them anew took a third of their time. Together: 0.20 ms of a processor for a claim and its
-- record before, 0.09 ms now.

alter table delivery_queue
  -- The attempt under way, or cut off: when it was claimed, and its place in the schedule, null for an extra one.
  add column claimed_at timestamptz,
  add column claimed_number integer;
update delivery_queue q set claimed_at = a.started_at, claimed_number = a.number
  from delivery_attempts a
 where q.lease_until is not null and a.delivery_id = q.delivery_id and a.try = q.tries;
delete from delivery_attempts where ended_at is null;
-- When it may be claimed first of all; a lease says for itself how long it keeps others off.
update delivery_queue set claim_at = least(scheduled_at, resend_at)
 where lease_until is not null and (scheduled_at is not null or resend_at is not null);
drop index delivery_queue_claimed;

-- Written in the transaction that counts an answer, by the one statement that has the delivery before it.
alter table delivery_attempts
  drop constraint delivery_attempts_delivery_id_fkey,
  alter column ended_at set not null;

alter table deliveries set (fillfactor = 75);
-- Its delivery failed for good, or ended undelivered: few among many, and what one looks for.
alter table deliveries add column given_up text check (given_up in ('failed', 'ended'));
update deliveries set given_up = status where status in ('failed', 'ended');
alter table deliveries add constraint deliveries_given_up
  check (given_up is not distinct from case when status in ('failed', 'ended') then status end);
drop index deliveries_undelivered;
create index deliveries_given_up on deliveries (endpoint_id, given_up, created_at desc, id desc)
  where given_up is not null;

-- The ends of the leases of what is under way; past ones count no more.
alter table endpoint_turns add column leases timestamptz[] not null default '{}';
update endpoint_turns t set leases = array(
  select q.lease_until from delivery_queue q where q.endpoint_id = t.endpoint_id and q.lease_until > clock());

-- Leases that still hold, without those that were given back.
create function leases_left(p_leases timestamptz[], p_given_back timestamptz[], p_at timestamptz) returns timestamptz[]
language sql immutable
as $$
  select array(
    select l.lease from (
      select lease, row_number() over (partition by lease) as n from unnest(p_leases) as lease where lease > p_at) l
     where l.n > (select count(*) from unnest(p_given_back) as g where g = l.lease))
$$;

drop function next_due_of(text, boolean, timestamptz);
-- When an endpoint may next be served, if its turn has these leases; its row is locked. Early is harmless, late is not.
create function next_due_of(p_endpoint_id text, p_failing boolean, p_leases timestamptz[], p_at timestamptz)
returns timestamptz
language sql stable
as $$
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
$$;

-- Ends up to p_most deliveries of a deleted endpoint and answers how many it ended. What is under way may still be
-- delivered.
create or replace function end_deliveries(p_endpoint_id text, p_most integer) returns integer
language plpgsql volatile
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
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
set enable_hashjoin = off
set enable_mergejoin = off
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
     where t.endpoint_id in (
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
         order by c.place, c.last_served_at nulls first limit p_failing_places))
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
      from endpoint_turns t join webhook_endpoints e on e.id = t.endpoint_id and e.deleted_at is null
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
        from chosen c join delivery_queue q on q.delivery_id = c.delivery_id
       where c.lease_owner is not null
  ), claimed as (
    update delivery_queue q
       set tries = q.tries + 1, lease_owner = p_owner, lease_until = lease_end, claimed_at = at,
           claimed_number = case when q.scheduled_at <= at then q.attempts + 1 end
      from chosen c where q.delivery_id = c.delivery_id
    returning q.delivery_id, q.tries, q.endpoint_id, c.failing, q.claimed_number
  ), taken as (
    select c.endpoint_id, count(*)::integer as number from claimed c group by c.endpoint_id
  ), turn as (
    update endpoint_turns t
       set leases = leases_left(t.leases, '{}', at) || array_fill(lease_end, array[taken.number]), last_served_at = at
      from taken where t.endpoint_id = taken.endpoint_id
  )
  select c.delivery_id, c.tries, c.claimed_number, c.endpoint_id, c.failing, e.url, e.secret_sealed,
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

  -- As a rule more is due already, and nothing changes.
  update endpoint_turns t
     set next_due = n.next_due
    from (select t.endpoint_id, next_due_of(t.endpoint_id, t.state = 'failing', t.leases, at) as next_due
            from endpoint_turns t where t.endpoint_id = any (locked)) n
   where t.endpoint_id = n.endpoint_id
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
set enable_hashjoin = off
set enable_mergejoin = off
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
                     where endpoint_id in (select endpoint_id from unnest(results)) for no key update);
  else
    locked := array(select endpoint_id from endpoint_turns
                     where endpoint_id in (select endpoint_id from unnest(results)) for no key update skip locked);
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
      join delivery_queue q on q.delivery_id = r.delivery_id and q.tries = r.try and q.lease_until is not null
      join deliveries d on d.id = r.delivery_id
      join webhook_endpoints e on e.id = d.endpoint_id
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
    delete from delivery_queue q using judged j
     where q.delivery_id = j.delivery_id and j.scheduled_at is null and j.resend_at is null
  ), waiting as (
    update delivery_queue q
       set scheduled_at = j.scheduled_at, resend_at = j.resend_at, claim_at = least(j.scheduled_at, j.resend_at),
           attempts = j.attempts, lease_owner = null, lease_until = null, claimed_at = null, claimed_number = null
      from judged j
     where q.delivery_id = j.delivery_id and (j.scheduled_at is not null or j.resend_at is not null)
  ), turn as (
    -- Of several results of one endpoint the last one counts.
    update endpoint_turns t
       set state = case when l.failure is null then 'healthy' else 'failing' end,
           failing_since = case when l.failure is not null then coalesce(t.failing_since, at) end,
           leases = leases_left(t.leases, l.given_back, at)
      from (select endpoint_id, (array_agg(failure order by place desc))[1] as failure, array_agg(lease_until) as given_back
              from told group by endpoint_id) l
     where t.endpoint_id = l.endpoint_id
  )
  update deliveries d
     set status = j.after, given_up = case when j.after in ('failed', 'ended') then j.after end,
         attempts = j.attempts, tries = j.try, last_status = j.status, last_failure = j.failure,
         last_attempt_at = at, completed_at = case when j.after = j.before then d.completed_at else at end
    from judged j where d.id = j.delivery_id
  returning d.id, d.status;

  update endpoint_turns t
     set next_due = n.next_due
    from (select t.endpoint_id, next_due_of(t.endpoint_id, t.state = 'failing', t.leases, at) as next_due
            from endpoint_turns t where t.endpoint_id = any (locked)) n
   where t.endpoint_id = n.endpoint_id
     and (n.next_due is null or t.next_due is null or n.next_due > at or t.next_due > at)
     and n.next_due is distinct from t.next_due;
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
    -- Locked in any case, which is what keeps its next_due from being set too late meanwhile.
    on conflict (endpoint_id) do update set next_due = excluded.next_due
      where t.next_due is null or t.next_due > excluded.next_due
  )
  select count(*)::integer from delivery
$$;

-- Makes each change whose generation is still as the caller saw it, and answers those that it made. The account's
-- counters, the key's budget of the day of the create and the event follow in the same transaction. What starts to
-- run is watched from then on: by p_watcher, unless somebody's lease on the account's feed still holds. p_cursors is
-- how far the feeds are applied with these changes ({account_id, cursor}); only their watcher's word counts. An event
-- is delivered to whoever is subscribed and active now: `deliveries` says how many there are.
create or replace function move_generations(
  p_moves json,
  p_cursors json,
  p_watcher text,
  p_watch_lease interval
) returns table (id text, account_id text, lane text, to_status text, watching boolean, deliveries integer)
language plpgsql volatile
set enable_seqscan = off
as $$
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
$$;
