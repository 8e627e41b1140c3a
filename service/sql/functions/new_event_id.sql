-- An id of an event that only streams tell of: the milliseconds of its time as any id of ours has them, then 64 random
-- bits. The digits of sixteen are among those of thirty-two. Made for each create: no loop.
create or replace function new_event_id(p_at timestamptz) returns text language plpgsql volatile as $$
declare
  digits constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  ms constant bigint := extract(epoch from p_at) * 1000;
  random constant text := gen_random_uuid()::text;
begin
  return 'evt_'
    || substr(digits, 1 + ((ms >> 45) & 31)::integer, 1) || substr(digits, 1 + ((ms >> 40) & 31)::integer, 1)
    || substr(digits, 1 + ((ms >> 35) & 31)::integer, 1) || substr(digits, 1 + ((ms >> 30) & 31)::integer, 1)
    || substr(digits, 1 + ((ms >> 25) & 31)::integer, 1) || substr(digits, 1 + ((ms >> 20) & 31)::integer, 1)
    || substr(digits, 1 + ((ms >> 15) & 31)::integer, 1) || substr(digits, 1 + ((ms >> 10) & 31)::integer, 1)
    || substr(digits, 1 + ((ms >> 5) & 31)::integer, 1) || substr(digits, 1 + (ms & 31)::integer, 1)
    -- Without the digits that say what kind of identifier it is.
    || substr(random, 1, 8) || substr(random, 10, 4) || substr(random, 33, 4);
end
$$;
