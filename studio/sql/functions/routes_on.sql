-- Returns the routes that name a backend, or one of its labels, and its engine.
-- `studio/src/backends/find-backends-of.ts` has the same rule for a single route.
create or replace function routes_on(b backends) returns setof routes language sql stable as $$
  select o.* from live_versions() v join routes o using (model_id, version)
  where o.engine = b.engine and (b.name = any(o.backends) or o.backends && b.labels)
$$;
