-- Returns what a provider charges for so many outputs in so many jobs, in the currency of the route. Megapixels and
-- seconds are rounded up.
create or replace function route_cost(cost jsonb, shape jsonb, outputs integer, jobs integer) returns numeric
language sql immutable as $$
  select coalesce(cost_amount(cost->'per_render', shape), 0) * jobs
    + outputs * (coalesce(cost_amount(cost->'per_output', shape), 0)
      + coalesce(cost_amount(cost->'per_second', shape), 0) * coalesce(ceil((shape->>'seconds')::numeric), 0)
      + coalesce(cost_amount(cost->'per_megapixel', shape), 0) * coalesce(ceil((shape->>'pixels')::numeric / 1000000), 0))
$$;
