-- Whether renders may be left to this backend, busy or not. One that rests, or has not yet shown that it is well again,
-- is no reason to let a render wait for it.
create or replace function is_ready(b backends) returns boolean language sql immutable as $$
  select b.wanted = 'on' and b.up and b.closed_until is null
$$;
