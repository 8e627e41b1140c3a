-- What a render met that makes a route useless on a backend stays until something has changed there: the next check, which
-- cannot see it, took it back before.
-- release: 2

alter table route_fits
  -- A problem, which stands among `problems` too. Null once the backend came back, changed, or an operator asked for a check.
  add column fault jsonb;
