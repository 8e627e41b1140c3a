-- A backend as operators see it. `since`: when its state began. A drained backend is off as soon as nothing runs there,
-- even if no worker has recorded that yet. `free_slots` decides whether the backend gets jobs.
create or replace function backend_json(b backends) returns json language sql stable as $$
  select json_build_object(
    'name', b.name, 'engine', b.engine, 'url', b.url, 'state', s.state,
    'reason', case s.state when 'draining' then d.live || ' still run.'
      else coalesce(case when s.state in ('resting', 'down') then b.reason end,
        case when day_left(b) <= 0 then 'today''s ' || trim_scale(b.max_cost_per_day) || ' ' || b.currency || ' are spent' end) end,
    'since', iso_time(case s.state
      when 'off' then b.wanted_since when 'draining' then b.wanted_since when 'resting' then b.closed_since
      when 'busy' then d.newest else greatest(b.up_since, b.wanted_since) end),
    'slots', b.slots, 'in_use', d.live, 'labels', b.labels,
    'cost_today', coalesce((select c.reserved + c.spent from provider_costs c
      where c.backend = b.name and c.day = (clock() at time zone 'UTC')::date), 0))
  from (select count(*)::integer as live, max(created_at) as newest from submissions
    where backend = b.name and state in ('intended', 'sent', 'lost')) d,
  lateral (select case
    when b.wanted = 'draining' and d.live = 0 then 'off'
    when b.wanted <> 'on' then b.wanted
    when not b.up then 'down'
    when b.closed_until > clock() then 'resting'
    when d.live >= b.slots and not b.is_local then 'busy'
    else 'ready' end as state) s
$$;
