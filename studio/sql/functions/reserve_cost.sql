-- Reserves money of a provider for a job. Returns false if the backend's limit of the day does not allow it. The row of
-- the day decides, so that no two jobs get the same money. `is_affordable` checks the limit before a claim, and
-- `settle_cost` turns the reserved money into spent money.
create or replace function reserve_cost(of_backend text, of_day date, in_currency text, amount numeric) returns boolean
language plpgsql as $$
declare
  day_limit numeric;
begin
  select max_cost_per_day into day_limit from backends where name = of_backend;
  insert into provider_costs (backend, day, currency) values (of_backend, of_day, in_currency) on conflict do nothing;
  update provider_costs set reserved = reserved + amount, jobs = jobs + 1
  where backend = of_backend and day = of_day and currency = in_currency
    and (day_limit is null or reserved + spent + amount <= day_limit);
  return found;
end $$;
