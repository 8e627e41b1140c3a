-- Claims the next render that a backend can make: the render runs, and the submission is committed with a lease before
-- anything is sent. Returns no row if there is nothing to do or no slot is free. Claims of one backend run one after
-- another, so that its slots are counted exactly. Claims of different backends never wait for each other. A local
-- engine has slots in each worker, which names the lanes with free slots. `takeOver` in
-- `studio/src/backends/claim-queries.ts` takes over a submission whose lease has expired.
create or replace function claim_render(asking text, worker text, lease interval, lanes text[]) returns setof submissions
language plpgsql as $$
declare
  b backends;
  pick record;
  at_most integer;
begin
  select * into b from backends where name = asking;
  if not b.is_local then
    select * into b from backends where name = asking for no key update;
  end if;
  if not found or free_slots(b) <= 0 then return; end if;
  -- The first few of each route are enough, unless other backends take them at this moment.
  foreach at_most in array array[3, 50] loop
    for pick in select * from waiting_for(b, lanes, at_most) loop
      continue when pick.route > 0 and pick.route <> first_route(pick.render_id, asking);
      update renders set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, clock())
      where id = (select id from renders where id = pick.render_id and status = 'queued' for update skip locked);
      continue when not found;
      return query select * from begin_submission(pick.render_id, asking, pick.route, worker, lease);
      if not found then
        -- Another job got the last of today's money.
        update renders set status = 'queued', attempt = attempt - 1 where id = pick.render_id;
        continue;
      end if;
      if not b.is_local and pick.affinity is distinct from b.loaded and pick.affinity is not null then
        update backends set loaded = pick.affinity where name = asking;
      end if;
      return;
    end loop;
    exit when not found;
  end loop;
end $$;
