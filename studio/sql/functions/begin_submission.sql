-- Begins the next job of a render on a backend: adds its row, which is committed before anything is sent, and reserves
-- what the job may cost. Returns no row if today's money is used up. The caller must hold the render's row lock.
create or replace function begin_submission(render text, on_backend text, by_route integer, worker text, lease interval)
returns setof submissions language plpgsql as $$
declare
  r renders;
  o routes;
  today date := (clock() at time zone 'UTC')::date;
  count_of_job integer;
  price numeric;
begin
  select * into strict r from renders where id = render;
  select * into strict o from routes where model_id = r.model and version = r.model_version and route = by_route;
  count_of_job := least(o.max_per_job, r.expected_outputs - r.outputs_done);
  if o.cost is not null then
    price := route_cost(o.cost, r.shape, count_of_job, 1);
    if not reserve_cost(on_backend, today, o.cost->>'currency', price) then return; end if;
  end if;
  return query insert into submissions (id, render_id, attempt, backend, model_id, version, route, first_output, outputs,
    owner, lease_until, swapped, cost, cost_day)
  values (gen_random_uuid(), r.id, r.attempt, on_backend, r.model, r.model_version, by_route, r.outputs_done, count_of_job,
    worker, clock() + lease,
    o.affinity is not null and o.affinity is distinct from (select loaded from backends where name = on_backend), price, case when price is not null then today end)
  returning *;
end $$;
