-- Returns the renders that a backend should make next, the best first: for each route that fits the backend, at most
-- `at_most` renders whose turn comes first. A render that needs other weights is put back by the time of the swap:
-- other renders can overtake it by that time and no more. A machine that is more than twice as slow as a free one
-- leaves a render to the free one for the difference of their times. `lanes`: only these; null for all. The result may
-- include renders that an earlier route of the same backend takes: see first_route. `fair_start` sets the turns, and
-- `why_waiting` repeats the conditions here.
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
    -- The earlier routes for which a backend is ready. While one of them takes a render, this route opens for the
    -- render by waiting time alone. Only if some are ready and some are not, this is checked for each render.
    select array_agg(p.route) filter (where p.ready) as routes, coalesce(bool_or(p.ready), false) as has_any,
      coalesce(bool_and(p.ready), false) as has_all
    from (select p.route, exists (select from route_fits g join backends c on c.name = g.backend
        where g.model_id = p.model_id and g.version = p.version and g.route = p.route and g.fits and is_ready(c)) as ready
      from routes p where o.at_once_if_none_up and p.model_id = o.model_id and p.version = o.version and p.route < o.route
      offset 0) p) earlier
  cross join lateral (
    select earlier.has_any and not earlier.has_all as is_mixed,
      case when o.at_once_if_none_up and not earlier.has_any then 0 else o.opens_after_seconds end as seconds offset 0) opens
  cross join lateral unnest(case when o.needs ? 'kind' then array[o.needs->>'kind']
    else array['image', 'image_edit', 'video', 'video_extend'] end) as kinds (name)
  cross join lateral (
    select r.id, r.tag from renders r
    where r.status = 'queued' and r.tag is not null and r.model = f.model_id and r.model_version = f.version
      and r.kind = kinds.name
      -- A turn is at most ten minutes after the accept: renders for which this route cannot be open yet are not even
      -- read.
      and r.tag <= case when opens.is_mixed then 'infinity'
        else clock() + interval '10 minutes' - opens.seconds * interval '1 second' end
      and (lanes is null or r.lane = any(lanes))
      and (r.not_before is null or r.not_before <= clock())
      and r.accepted_at <= clock() - slower.seconds * interval '1 second'
      and (r.accepted_at <= clock() - opens.seconds * interval '1 second'
        or opens.is_mixed and not exists (select from routes p where p.model_id = o.model_id
          and p.version = o.version and p.route = any(earlier.routes) and route_takes(p.needs, p.lacks, r.shape)))
      and route_takes(o.needs, o.lacks, r.shape)
      and (r.attempt = 0 or not is_kept_away(r, b.name))
      and (o.cost is null or is_affordable(b, r, o.cost, o.max_per_job, left_today))
    order by r.tag limit at_most) w
  where f.backend = b.name and f.fits
  order by w.tag + interval '1 second' * case when o.affinity is null or o.affinity = b.loaded then 0
    else greatest(0, coalesce(f.first_seconds - f.run_seconds, o.swap_seconds)) end, o.route, w.id;
end $$;
