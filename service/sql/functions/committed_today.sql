-- What each key has committed on the UTC day of the clock, in 1/1000 credit; a key that has committed nothing has no row.
-- The accept decides by it, and the look before it and the console read it. PostgreSQL puts the statement in the place of
-- the call, so that each caller's condition on the key is looked up in the index.
create or replace function committed_today() returns table (key_id text, committed_millicredits bigint)
language sql stable
as $$
  select day.key_id, day.committed_millicredits from budget_days day
   where day.day = (clock() at time zone 'UTC')::date
$$;
