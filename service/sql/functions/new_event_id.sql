-- Makes the id of an event that only streams report: the milliseconds of its time, encoded as in all ids of the
-- service, then 64 random bits. Hexadecimal digits are valid in base 32 too. It runs for each create, so it has no
-- loop. `newId` in `server-kit/src/ids.ts` makes ids of the same form.
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
    -- Without the digits that contain the version and variant of the UUID.
    || substr(random, 1, 8) || substr(random, 10, 4) || substr(random, 33, 4);
end
$$;
