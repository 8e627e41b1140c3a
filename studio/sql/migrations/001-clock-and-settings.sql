-- One clock decides leases, days and expiry on every machine: the database's. Tests replace the function to move
-- time. Stable, so that an index can be used for what is compared with it.
create function clock() returns timestamptz language sql stable as $$ select statement_timestamp() $$;

-- What the studio makes up once and keeps for good (its id, its signing keys), and the operator's switches.
create table settings (
  name text primary key,
  value jsonb not null,
  changed_at timestamptz not null default clock()
);

-- Moments go over the wire as ISO 8601 with milliseconds, in UTC.
create function iso_time(moment timestamptz) returns text language sql immutable as
$$ select to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;
