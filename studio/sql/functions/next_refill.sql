-- Returns the first renewal after a moment. Counts from the anchor each time: adding months to a clamped date would
-- lose the 31st.
create or replace function next_refill(anchor timestamptz, after timestamptz) returns timestamptz language sql immutable as $$
  select min(moment) from (
    select (anchor at time zone 'UTC' + interval '1 month' * n) at time zone 'UTC' as moment
    from generate_series(
      (extract(year from after at time zone 'UTC') - extract(year from anchor at time zone 'UTC'))::integer * 12
        + (extract(month from after at time zone 'UTC') - extract(month from anchor at time zone 'UTC'))::integer - 1,
      (extract(year from after at time zone 'UTC') - extract(year from anchor at time zone 'UTC'))::integer * 12
        + (extract(month from after at time zone 'UTC') - extract(month from anchor at time zone 'UTC'))::integer + 1
    ) as n where n > 0
  ) as moments where moment > after
$$;
