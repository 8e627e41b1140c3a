-- A fault of a backend's own: it rests, for 5 s the first time, three times as long after each further one, 15 minutes at
-- most, or as long as it asked for; a lasting one until an operator or a good probe. Faults of what ran side by side are one
-- fault, and a rest only ever gets longer. Local engines do not rest.
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
    -- Whether it answers at all is asked at once.
    next_probe_at = least(next_probe_at, clock())
  from (select name, case when closed_until > clock() then failures else failures + 1 end as count
    from backends where name = faulty and not is_local for no key update) f
  where backends.name = f.name
$$;
