-- Records that a job ended well after so many seconds: its backend has passed its trial, and the measured times of its
-- route are adjusted. `rest_backend` begins a rest, and `free_slots` limits a backend on trial.
create or replace function record_success(submission uuid, seconds real) returns void language plpgsql as $$
declare
  s submissions;
begin
  update submissions set run_seconds = seconds where id = submission returning * into strict s;
  update backends set failures = 0, closed_since = null, closed_until = null, reason = null
  where name = s.backend and closed_until <= clock();
  -- A moving average: one unusual job does not decide alone.
  update route_fits set
    run_seconds = case when s.swapped then run_seconds else coalesce(0.8 * run_seconds + 0.2 * seconds, seconds) end,
    first_seconds = case when s.swapped then coalesce(0.8 * first_seconds + 0.2 * seconds, seconds) else first_seconds end
  where backend = s.backend and model_id = s.model_id and version = s.version and route = s.route;
end $$;
