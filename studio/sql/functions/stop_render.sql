-- Stops a render permanently. `refund`: what the account's plan gives back for a render that was begun at a cost.
--   stopping  the render ends as soon as its engine releases it, with what is made by then
--   ended     the render has ended, now or before; `was_ended`: it ended before, without a stop
--   too_late  its last job is at one of the engines that cannot stop, or the render is of the release before
-- Returns no row if the account has no such render. A waiting render ends here; its worker ends a running one. A
-- stopped sample keeps nothing: nobody waits for it. `studio/src/renders/end-submission.ts` ends a stopped render that
-- runs, with the same messages. `refund_failed_or_stopped` applies `refund`, and `unstoppableEngines` in
-- `engines/kit/src/route.ts` lists the engines that cannot stop.
create or replace function stop_render(account text, stop_token text, refund text, unstoppable text[])
returns table (outcome text, was_ended boolean, render json) language plpgsql as $$
declare
  r renders;
  made jsonb;
  how_many integer;
begin
  perform 1 from accounts where id = account for update;
  select * into r from renders where account_id = account and token = stop_token
    and status in ('queued', 'running', 'succeeded', 'failed') for update;
  if not found then return; end if;
  if r.status in ('succeeded', 'failed') then
    return query select 'ended',
      r.stop_requested_at is null or coalesce(r.error->>'code', '') not in ('stopped', 'partial_failure'), render_json(r);
    return;
  end if;
  if r.tag is null or exists (
    select from submissions s join backends b on b.name = s.backend
     where s.render_id = r.id and s.state in ('sent', 'lost') and b.engine = any (unstoppable)
       and s.first_output + s.outputs >= r.expected_outputs) then
    return query select 'too_late', false, render_json(r);
    return;
  end if;
  update renders set stop_requested_at = coalesce(stop_requested_at, clock()), stop_refund = coalesce(stop_refund, refund)
   where id = r.id returning * into r;
  if r.status = 'running' then
    return query select 'stopping', false, render_json(r);
    return;
  end if;
  select coalesce(jsonb_agg(one.asset order by s.first_output, one.place), '[]') into made
    from submissions s cross join jsonb_array_elements(s.made) with ordinality as one (asset, place)
   where s.render_id = r.id and r.sample is null;
  how_many := jsonb_array_length(made);
  return query select 'ended', false, render_json(f)
    from finish_render(r.id, r.attempt, case when how_many > 0 then 'succeeded' else 'failed' end,
      case when how_many > 0
        then jsonb_build_object('code', 'partial_failure',
               'message', how_many || ' of ' || r.expected_outputs || ' outputs were made.')
        else jsonb_build_object('code', 'stopped', 'message', 'It was stopped before anything was made.') end, made) f;
end $$;
