-- Returns what keeps each backend from taking a waiting render now, by the rules of the claim (waiting_for): a row for
-- each backend of each route that takes the render, and one for a route that names no existing backend. `reason`: from
-- a closed list (waiting-queries.ts). `detail`: a sentence for operators. `since`, `until`: as far as they are known.
-- queue_reason turns these rows into the one word that users see (`fair_share`, `engine_busy`, …).
create or replace function why_waiting(r renders)
returns table (route integer, route_name text, backend text, reason text, detail text, since timestamptz, until timestamptz)
language sql stable as $$
  select o.route, o.name, b.name, w.reason,
    case when w.reason in ('down', 'resting') then b.reason when w.reason = 'unfit' then f.problems->0->>'message' end,
    case when w.reason in ('off', 'draining', 'down', 'resting', 'unfit') then out_since(b, f) end,
    case w.reason
      when 'resting' then nullif(b.closed_until, 'infinity')
      when 'scheduled' then r.not_before
      when 'not_open' then opens.at
      when 'slower' then r.accepted_at + slower.seconds * interval '1 second'
      when 'day_spent' then (date_trunc('day', clock() at time zone 'UTC') + interval '1 day') at time zone 'UTC'
    end
  from routes o
  left join backends b on b.engine = o.engine and (b.name = any(o.backends) or o.backends && b.labels)
  left join route_fits f on (f.backend, f.model_id, f.version, f.route) = (b.name, o.model_id, o.version, o.route)
  cross join lateral (
    select r.accepted_at + o.opens_after_seconds * interval '1 second' as at,
      o.at_once_if_none_up and not exists (
        select from routes p join route_fits g on (g.model_id, g.version, g.route) = (p.model_id, p.version, p.route)
        join backends c on c.name = g.backend
        where p.model_id = o.model_id and p.version = o.version and p.route < o.route and g.fits and is_ready(c)
          and route_takes(p.needs, p.lacks, r.shape)) as at_once) opens
  cross join lateral (
    select coalesce(max(f.run_seconds - g.run_seconds), 0) as seconds
    from route_fits g join backends c on c.name = g.backend
    where f.run_seconds is not null and g.model_id = o.model_id and g.version = o.version and g.route = o.route
      and g.fits and g.backend <> b.name and g.run_seconds * 2 < f.run_seconds and free_slots(c) > 0) slower
  cross join lateral (select case
    when b.name is null then 'no_backend'
    when b.wanted <> 'on' then b.wanted
    when not b.up then 'down'
    when b.closed_until > clock() then 'resting'
    when f.fits is null then 'unchecked'
    when not f.fits then 'unfit'
    when r.attempt > 0 and is_kept_away(r, b.name) then 'avoided'
    when o.cost is not null and not is_affordable(b, r, o.cost, o.max_per_job, null) then 'too_expensive'
    when o.cost is not null and not is_affordable(b, r, o.cost, o.max_per_job, day_left(b)) then 'day_spent'
    when r.not_before > clock() then 'scheduled'
    when opens.at > clock() and not opens.at_once then 'not_open'
    -- Each worker has its own slots of a local engine: while one is free, nothing waits.
    when free_slots(b) <= 0 or b.is_local and exists (select from submissions s join renders n on n.id = s.render_id
      where s.backend = b.name and s.state in ('intended', 'sent', 'lost') and n.lane = r.lane) then 'busy'
    when r.accepted_at > clock() - slower.seconds * interval '1 second' then 'slower'
    else 'next' end as reason) w
  where o.model_id = r.model and o.version = r.model_version and route_takes(o.needs, o.lacks, r.shape)
    -- Only the first of a backend's routes for this render counts.
    and (f.fits is not true or o.route = first_route(r.id, b.name))
  order by o.route, b.name
$$;
