-- Returns what each key has committed on the current UTC day, in 1/1000 credit. Keys without commitments have no row.
-- insert_generations adds to it; move_generations subtracts what failed or was canceled.
-- The accept decides by this function; the precheck and the console also read it. PostgreSQL inlines the statement, so
-- that each caller's condition on the key uses the index.
create or replace function committed_today() returns table (key_id text, committed_millicredits bigint)
language sql stable
as $$
  select day.key_id, day.committed_millicredits from budget_days day
   where day.day = (clock() at time zone 'UTC')::date
$$;
