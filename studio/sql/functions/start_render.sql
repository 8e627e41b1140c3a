-- Takes a render for one more attempt, the last being the third that counts. No row where it is finished or used up.
create or replace function start_render(render text, most_attempts integer) returns setof renders
language sql as $$
  update renders set status = 'running', attempt = attempt + 1,
    started_at = coalesce(started_at, clock())
  where id = render and status in ('queued', 'running') and attempt < most_attempts + excused
  returning *
$$;
