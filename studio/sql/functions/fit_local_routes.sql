-- Local engines run whatever names them. Returns how many rows are new or gone.
create or replace function fit_local_routes() returns integer language sql as $$
  with named as (
    select b.name, o.model_id, o.version, o.route from backends b, routes_on(b) o where b.is_local
  ), gone as (
    delete from route_fits f using backends b where b.name = f.backend and b.is_local and not exists (
      select from named n where (n.name, n.model_id, n.version, n.route) = (f.backend, f.model_id, f.version, f.route))
    returning 1
  ), new as (
    insert into route_fits (backend, model_id, version, route, fits) select name, model_id, version, route, true from named
    on conflict do nothing returning 1
  )
  select ((select count(*) from gone) + (select count(*) from new))::integer
$$;
