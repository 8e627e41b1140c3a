-- Returns whether renders may be left to this backend, busy or not. No render waits for a backend that rests or has not
-- yet shown that it works again.
create or replace function is_ready(b backends) returns boolean language sql immutable as $$
  select b.wanted = 'on' and b.up and b.closed_until is null
$$;
