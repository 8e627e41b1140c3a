-- Why nothing can make a version of a model now, in an operator's words. Null where something can, or where a backend that
-- is up has still to say whether it fits.
create or replace function pause_reason(model text, of_version integer) returns text language sql stable as $$
  with named as (
    select o.route, o.backends, b.name, b.wanted, b.up, b.closed_until, b.reason, f.fits, f.problems
    from routes o
    left join backends b on b.engine = o.engine and (b.name = any(o.backends) or o.backends && b.labels)
    left join route_fits f on (f.backend, f.model_id, f.version, f.route) = (b.name, o.model_id, o.version, o.route)
    where o.model_id = model and o.version = of_version
  )
  select case when not bool_or(name is not null and wanted = 'on' and up and closed_until is distinct from 'infinity'
      and coalesce(fits, true)) then
    string_agg(distinct case
      when name is null then 'No backend is ' || array_to_string(backends, ' or ') || '.'
      when wanted <> 'on' then name || ' is ' || case wanted when 'off' then 'off.' else 'draining.' end
      when not up or closed_until = 'infinity' then name || ' is down: ' || coalesce(reason, 'no answer')
      else name || ': ' || coalesce(problems->0->>'message', 'it cannot run this.') end, ' ') end
  from named
$$;
