-- Marks the routes that name a local engine as fit, except those that a render showed not to work. Removes rows of
-- routes that no longer name it. Returns how many rows changed.
create or replace function fit_local_routes() returns integer language sql as $$
  with named as (
    select b.name, o.model_id, o.version, o.route from backends b, routes_on(b) o where b.is_local
  ), gone as (
    delete from route_fits f using backends b where b.name = f.backend and b.is_local and not exists (
      select from named n where (n.name, n.model_id, n.version, n.route) = (f.backend, f.model_id, f.version, f.route))
    returning 1
  ), fitted as (
    insert into route_fits as f (backend, model_id, version, route, fits)
    select name, model_id, version, route, true from named
    on conflict (backend, model_id, version, route) do update set fits = true, problems = '[]', checked_at = clock()
    where f.fault is null and not f.fits returning 1
  )
  select ((select count(*) from gone) + (select count(*) from fitted))::integer
$$;
