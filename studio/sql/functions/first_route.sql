-- Returns the first of a backend's routes that takes a render. Only this route is used, though others may take the
-- render too.
create or replace function first_route(render text, asking text) returns integer language sql stable as $$
  select min(f.route) from renders r
  join route_fits f on f.backend = asking and f.model_id = r.model and f.version = r.model_version and f.fits
  join routes o on (o.model_id, o.version, o.route) = (f.model_id, f.version, f.route)
  where r.id = render and route_takes(o.needs, o.lacks, r.shape)
$$;
