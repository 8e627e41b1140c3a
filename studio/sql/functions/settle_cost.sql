-- Turns what was reserved for a job into what it cost. If `actual` is null the bill is unknown, and the reserved amount
-- counts. Called once, in the transaction that ends the submission. A job whose fate stays unknown keeps its money
-- reserved. `settle` in `studio/src/renders/end-submission.ts` decides what to pass.
create or replace function settle_cost(submission uuid, actual numeric) returns void language plpgsql as $$
declare
  s submissions;
begin
  select * into strict s from submissions where id = submission;
  if s.cost is null then return; end if;
  update provider_costs set reserved = reserved - s.cost, spent = spent + coalesce(actual, s.cost)
  where backend = s.backend and day = s.cost_day;
  update submissions set cost = coalesce(actual, s.cost) where id = submission;
end $$;
