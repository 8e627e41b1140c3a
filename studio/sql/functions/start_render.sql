-- Takes a render for one more attempt: what the release before calls. Now `claim_render` takes one, and another try or the end is
-- decided by `studio/src/renders/end-submission.ts`. The last is the third that counts. No row where it is finished or used up.
create or replace function start_render(render text, most_attempts integer) returns setof renders
language sql as $$
  update renders set status = 'running', attempt = attempt + 1,
    started_at = coalesce(started_at, clock())
  where id = render and status in ('queued', 'running') and attempt < most_attempts + excused
  returning *
$$;
