-- When it is a new render's turn: an account that has nothing waiting starts now, one that hands in many queues behind
-- itself, by the seconds that they take and its plan's share. The caller holds the account's row lock.
create or replace function fair_start(account text, seconds real) returns timestamptz language sql as $$
  update accounts
  set next_tag = least(greatest(clock(), next_tag), clock() + interval '10 minutes') + seconds / share * interval '1 second'
  where id = account returning next_tag - seconds / share * interval '1 second'
$$;
