-- Takes a render for one more attempt: what the release before calls. Now `claim_render` takes renders, and
-- `studio/src/renders/end-submission.ts` decides on another try or the end. The third attempt that counts is the last.
-- Returns no row if the render has ended or is used up.
create or replace function start_render(render text, most_attempts integer) returns setof renders
language sql as $$
  update renders set status = 'running', attempt = attempt + 1,
    started_at = coalesce(started_at, clock())
  where id = render and status in ('queued', 'running') and attempt < most_attempts + excused
  returning *
$$;
