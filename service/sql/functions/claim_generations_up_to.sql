-- Claims the oldest generations that may start, for those of the accounts that can be locked, and takes over claims
-- whose lease has expired. If more may start than p_at_most, each account gets its first one, then each its second, and
-- so on. Limits are checked under the account's lock: a generation that runs or is being submitted fills a slot, and so
-- does each one that the studio reports as running elsewhere. Returns a row for each claim (generation_id not null) and
-- one for each locked account. Its free_* are the free slots before these claims (null if the limits were never read).
-- The studio may still answer `busy`: `studio/sql/functions/accept_renders.sql`.
create or replace function claim_generations_up_to(
  p_accounts text[],
  p_owner text,
  p_lease interval,
  -- The periodic reconciliation skips locked accounts; a caller that was woken for an account waits for it.
  p_skip_locked boolean,
  -- How many waiting generations may be claimed. Claims that are taken over do not count.
  p_at_most integer
) returns table (
  account_id text, generation_id text, attempt integer, lane text, cost_millicredits bigint,
  -- An earlier claim may have sent a submit.
  sent_before boolean, render_request text, quote text,
  free_overall integer, free_image integer, free_edit integer, free_video integer,
  -- Milliseconds since the limits were read from the studio, and until the account may be tried again.
  limits_age_ms double precision, wait_ms double precision,
  connected boolean
)
language plpgsql volatile
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  at constant timestamptz := clock();
  locked text[];
begin
  if p_skip_locked then
    locked := array(select id from accounts where id = any (p_accounts) and deleted_at is null
                     order by id for no key update skip locked);
  else
    locked := array(select id from accounts where id = any (p_accounts) and deleted_at is null
                     order by id for no key update);
  end if;

  return query
  with ready as (
    select a.* from accounts a join connections c on c.account_id = a.id and c.status = 'live'
     where a.id = any (locked) and (a.dispatch_after is null or a.dispatch_after <= at)
  ), held as (
    select g.account_id, count(*) as overall, count(*) filter (where g.lane = 'image') as image,
           count(*) filter (where g.lane = 'edit') as edit, count(*) filter (where g.lane = 'video') as video
      from generations g where g.account_id = any (locked) and g.holds_slot group by g.account_id
  ), free as (
    select r.id, r.limit_overall - r.elsewhere_overall - coalesce(h.overall, 0) as overall,
           r.limit_image - r.elsewhere_image - coalesce(h.image, 0) as image,
           r.limit_edit - r.elsewhere_edit - coalesce(h.edit, 0) as edit,
           r.limit_video - r.elsewhere_video - coalesce(h.video, 0) as video
      from ready r left join held h on h.account_id = r.id
     where r.limits_read_at is not null
  ), oldest as (
    select f.id as account_id, f.overall, l.free, w.id, w.created_at,
           row_number() over (partition by f.id, l.lane order by w.created_at, w.id) as position_in_lane
      from free f
     cross join lateral (values ('image', f.image), ('edit', f.edit), ('video', f.video)) as l(lane, free)
     -- The limit is constant: a limit from a subquery would make the plan sort the whole queue.
     cross join lateral (
       select g.id, g.created_at from generations g
        where g.account_id = f.id and g.lane = l.lane and g.blocked = false
          and g.status = 'queued' and not g.holds_slot
        order by g.created_at, g.id limit 64) w
     where f.overall > 0 and l.free > 0
  ), chosen as (
    select o.id, o.overall, o.created_at, row_number() over (partition by o.account_id order by o.created_at, o.id) as position
      from oldest o where o.position_in_lane <= o.free
  ), taken as (
    (select c.id from chosen c where c.position <= c.overall
      order by c.position, c.created_at, c.id limit p_at_most)
    union all
    select g.id from ready r join generations g on g.account_id = r.id
     where g.holds_slot and g.status = 'queued' and g.lease_until <= at
  ), claimed as (
    update generations g
       set holds_slot = true, attempt = g.attempt + 1, lease_owner = p_owner, lease_until = at + p_lease,
           submit_sent_at = coalesce(g.submit_sent_at, at)
      from taken where g.id = taken.id
    returning g.id, g.account_id, g.attempt, g.lane, g.cost_millicredits, g.created_at,
              g.submit_sent_at < at as sent_before
  )
  select c.account_id, c.id, c.attempt, c.lane, c.cost_millicredits, c.sent_before, q.render_request, q.quote,
         null::integer, null::integer, null::integer, null::integer,
         null::double precision, null::double precision, null::boolean
    from claimed c join generation_requests q on q.generation_id = c.id
  union all
  select a.id, null, null, null, null, null, null, null,
         f.overall::integer, f.image::integer, f.edit::integer, f.video::integer,
         (extract(epoch from at - a.limits_read_at) * 1000)::double precision,
         (greatest(extract(epoch from a.dispatch_after - at), 0) * 1000)::double precision,
         exists (select from connections c where c.account_id = a.id and c.status = 'live')
    from accounts a left join free f on f.id = a.id where a.id = any (locked);
end
$$;
