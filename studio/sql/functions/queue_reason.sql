-- Returns why a render waits, in one word of the contract: `scheduled_retry` (it was tried before), `fair_share`
-- (renders of accounts that asked for less come first), `engine_busy`, `engine_down`. Null if the render is about to be
-- taken, begins later as requested, or does not wait. `render_waits` turns `fair_share` into `engine_busy` if no render
-- of another account comes first. `studio/src/workers/heartbeat.ts` has the same 10 seconds.
create or replace function queue_reason(r renders) returns text language sql stable as $$
  select case
    when r.status <> 'queued' or r.tag is null then null
    when bool_or(reason = 'scheduled') then case when r.attempt > 0 then 'scheduled_retry' end
    when not exists (select from workers where beat_at > clock() - interval '10 seconds') then 'engine_down'
    when bool_or(reason = 'next') then null
    when bool_or(reason in ('busy', 'slower')) then case when r.tag > clock() then 'fair_share' else 'engine_busy' end
    else 'engine_down' end
  from why_waiting(r)
$$;
