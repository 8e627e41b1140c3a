-- Returns what a backend may still spend today (UTC). Reserved money counts as spent. Null if it has no limit.
create or replace function day_left(b backends) returns numeric language sql stable as $$
  select b.max_cost_per_day - coalesce((select c.reserved + c.spent from provider_costs c
    where c.backend = b.name and c.day = (clock() at time zone 'UTC')::date), 0)
$$;
