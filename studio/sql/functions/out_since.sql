-- Returns since when a backend cannot be sent renders of a route, for any account. Null if it can, or if nobody has
-- checked yet whether it fits.
create or replace function out_since(b backends, f route_fits) returns timestamptz language sql stable as $$
  select case
    when b.wanted <> 'on' then b.wanted_since
    when not b.up then b.up_since
    when b.closed_until > clock() then b.closed_since
    when not f.fits then f.checked_at end
$$;
