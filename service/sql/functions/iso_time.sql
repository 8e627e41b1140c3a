-- Returns a time as the API shows it: ISO 8601 with milliseconds, in UTC. `service/src/iso-time.ts` does the same in
-- TypeScript.
create or replace function iso_time(p_moment timestamptz) returns text
language sql immutable
as $$
  select to_char(p_moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
