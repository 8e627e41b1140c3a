-- Returns the leases that are still valid, without those that were given back.
create or replace function leases_left(p_leases timestamptz[], p_given_back timestamptz[], p_at timestamptz) returns timestamptz[]
language sql immutable
as $$
  select array(
    select l.lease from (
      select lease, row_number() over (partition by lease) as n from unnest(p_leases) as lease where lease > p_at) l
     where l.n > (select count(*) from unnest(p_given_back) as g where g = l.lease))
$$;
