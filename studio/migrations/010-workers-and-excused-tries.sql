-- Whether anybody renders at all: each worker process says every few seconds that it lives. After a crash of the database
-- the table is empty until they say so again, and no disk is kept waiting for it.
create unlogged table workers (
  id text primary key,
  beat_at timestamptz not null
);

-- Tries that ended because a disk was full say nothing of the render: they do not count among its three.
alter table renders add column excused integer not null default 0;

-- Takes a render for one more attempt, the last being the third that counts. No row where it is finished or used up.
create or replace function start_render(render text, most_attempts integer) returns setof renders
language sql as $$
  update renders set status = 'running', attempt = attempt + 1,
    started_at = coalesce(started_at, clock())
  where id = render and status in ('queued', 'running') and attempt < most_attempts + excused
  returning *
$$;
