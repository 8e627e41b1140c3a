-- Returns why a version of a model is not made now, in an operator's words: somebody paused it, or nothing can make it.
-- Null if something can, or if a backend is up whose fit is not known yet.
create or replace function pause_reason(model text, of_version integer) returns text language sql stable as $$
  select coalesce((select pause_asked from models where id = model),
    case when bool_and(why is not null) then string_agg(distinct why, ' ') end)
  from (
    select obstacle(o, b, f) as why
    from routes o
    left join backends b on b.engine = o.engine and (b.name = any(o.backends) or o.backends && b.labels)
    left join route_fits f on (f.backend, f.model_id, f.version, f.route) = (b.name, o.model_id, o.version, o.route)
    where o.model_id = model and o.version = of_version
  ) named
$$;
