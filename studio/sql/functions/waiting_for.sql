-- What a backend should do next, the best first: of each route that it fits the renders whose turn comes first, at most so
-- many. A render that needs other weights stands back by the time that the swap takes; by that, and no more, it can be
-- overtaken. A machine that is more than twice as slow as a free one leaves it the render for as long as the difference.
-- `lanes`: only these; null for all.
create or replace function waiting_for(b backends, lanes text[], at_most integer)
returns table (render_id text, route integer, affinity text) language plpgsql stable as $$
#variable_conflict use_column
declare
  left_today numeric := day_left(b);
begin
  return query
  select w.id, o.route, o.affinity
  from route_fits f
  join routes o on (o.model_id, o.version, o.route) = (f.model_id, f.version, f.route)
  cross join lateral (
    select coalesce(max(f.run_seconds - g.run_seconds), 0) as seconds
    from route_fits g join backends c on c.name = g.backend
    where f.run_seconds is not null and g.model_id = f.model_id and g.version = f.version and g.route = f.route
      and g.fits and g.backend <> b.name and g.run_seconds * 2 < f.run_seconds and free_slots(c) > 0) slower
  cross join lateral (
    -- Earlier routes that somebody is ready for: while there is one, this one opens by waiting time alone.
    select array(select p.route from routes p
      where o.at_once_if_none_up and p.model_id = o.model_id and p.version = o.version and p.route < o.route
        and exists (select from route_fits g join backends c on c.name = g.backend
          where g.model_id = p.model_id and g.version = p.version and g.route = p.route and g.fits and is_ready(c))
    ) as routes) ready
  cross join lateral (
    select r.id, r.tag from renders r
    where r.status = 'queued' and r.tag is not null and r.model = f.model_id and r.model_version = f.version
      and (lanes is null or r.lane = any(lanes))
      and (r.not_before is null or r.not_before <= clock())
      and (r.accepted_at <= clock() - greatest(o.opens_after_seconds, slower.seconds) * interval '1 second'
        or r.accepted_at <= clock() - slower.seconds * interval '1 second' and o.at_once_if_none_up
          and not exists (select from routes p where p.model_id = o.model_id and p.version = o.version
            and p.route = any(ready.routes) and route_takes(p.needs, p.lacks, r.shape)))
      and route_takes(o.needs, o.lacks, r.shape)
      -- The first of the backend's routes that takes it is the one.
      and (o.route = 0 or not exists (
        select from route_fits g join routes p on (p.model_id, p.version, p.route) = (g.model_id, g.version, g.route)
        where g.backend = b.name and g.model_id = o.model_id and g.version = o.version and g.route < o.route and g.fits
          and route_takes(p.needs, p.lacks, r.shape)))
      and (r.attempt = 0 or not is_kept_away(r, b.name))
      and (o.cost is null or is_affordable(b, r, o.cost, o.max_per_job, left_today))
    order by r.tag limit at_most) w
  where f.backend = b.name and f.fits
  order by w.tag + interval '1 second' * case when o.affinity is null or o.affinity = b.loaded then 0
    else greatest(0, coalesce(f.first_seconds - f.run_seconds, o.swap_seconds)) end, o.route, w.id;
end $$;
