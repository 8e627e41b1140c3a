-- Returns why a backend that a route names cannot make it now, in an operator's words; without a backend, that none has
-- such a name. Null if the backend can, or if it is up and its fit is not known yet.
create or replace function obstacle(o routes, b backends, f route_fits) returns text language sql stable as $$
  select case
    when b.name is null then 'No backend is ' || array_to_string(o.backends, ' or ') || '.'
    when b.wanted <> 'on' then b.name || ' is ' || case b.wanted when 'off' then 'off.' else 'draining.' end
    when not b.up or b.closed_until = 'infinity' then b.name || ' is down: ' || coalesce(b.reason, 'no answer')
    when not f.fits then b.name || ': ' || coalesce(f.problems->0->>'message', 'it cannot run this.')
  end
$$;
