-- Returns when it is a new render's turn. An account with nothing waiting starts now. An account that submits many
-- renders queues behind its own, by the seconds that they take and its plan's share. `waiting_for` takes renders in the
-- order of this time, their `tag`. The caller must hold the account's row lock.
create or replace function fair_start(account text, seconds real) returns timestamptz language sql as $$
  update accounts
  set next_tag = least(greatest(clock(), next_tag), clock() + interval '10 minutes') + seconds / share * interval '1 second'
  where id = account returning next_tag - seconds / share * interval '1 second'
$$;
