-- Lets a backend rest after its own fault: 5 s the first time, three times as long after each further fault, at most 15
-- minutes; or for the time that the backend asked for. After a lasting fault it rests until an operator or a good probe
-- ends the rest. Faults of parallel jobs are one fault, and a rest only ever gets longer. Local engines do not rest.
-- `recordGoodProbe` in `studio/src/backends/store.ts` ends the rest and has the same times. `blame` in
-- `studio/src/renders/run-submission.ts` decides which failures begin one.
create or replace function rest_backend(faulty text, fault_code text, fault_message text, retry_after_seconds real,
  lasting boolean) returns void language sql as $$
  update backends set
    failures = f.count,
    closed_since = case when closed_until > clock() then closed_since else clock() end,
    closed_until = greatest(closed_until, case when lasting then 'infinity' else clock() + interval '1 second'
      * case when retry_after_seconds is null then least(900, 5 * 3 ^ least(f.count - 1, 6))
        else least(retry_after_seconds, 3600) end end),
    reason = fault_message,
    last_fault = jsonb_build_object('at', iso_time(clock()), 'code', fault_code, 'message', fault_message),
    -- A probe checks at once whether the backend answers at all.
    next_probe_at = least(next_probe_at, clock())
  from (select name, case when closed_until > clock() then failures else failures + 1 end as count
    from backends where name = faulty and not is_local for no key update) f
  where backends.name = f.name
$$;
