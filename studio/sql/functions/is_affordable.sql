-- Returns whether a render may go to a paid route now. Its whole cost, with what was already spent on it, may not
-- exceed the price that its account pays, unless the backend may lose money. The next job must fit into what is left of
-- the day. A sample has no price: `paid` means that its operator allowed a cost.
create or replace function is_affordable(b backends, r renders, route_cost_table jsonb, max_per_job integer, day_left numeric)
returns boolean language plpgsql stable as $$
declare
  outputs integer := r.expected_outputs - r.outputs_done;
  spent numeric;
  worth numeric;
begin
  if day_left is not null and (b.currency is distinct from route_cost_table->>'currency'
    or route_cost(route_cost_table, r.shape, least(outputs, max_per_job), 1) > day_left) then
    return false;
  end if;
  if r.sample is not null then return r.sample = 'paid'; end if;
  if b.allow_loss then return true; end if;
  select r.cost_millicredits * per_credit / 1000 into worth from credit_value
  where currency = route_cost_table->>'currency';
  if r.attempt > 0 then
    select sum(cost) into spent from submissions where render_id = r.id;
  end if;
  return coalesce(worth, 0) >= coalesce(spent, 0)
    + route_cost(route_cost_table, r.shape, outputs, ceil(outputs::numeric / max_per_job)::integer);
end $$;
