-- Returns whether some backend may yet make a render that has failed on one: the backend is wanted, is not known to be
-- unfit for the route, and the render is not too much for it. A backend that is down or rests counts too.
-- `studio/src/renders/end-submission.ts` ends a render that has none.
create or replace function has_other_backend(render text) returns boolean language sql stable as $$
  select exists (
    select from renders r
    join routes o on o.model_id = r.model and o.version = r.model_version and route_takes(o.needs, o.lacks, r.shape)
    join backends b on b.engine = o.engine and (b.name = any(o.backends) or o.backends && b.labels)
    left join route_fits f on (f.backend, f.model_id, f.version, f.route) = (b.name, o.model_id, o.version, o.route)
    where r.id = render and b.wanted = 'on' and f.fits is not false and not exists (
      select from submissions t where t.render_id = r.id and t.backend = b.name and t.blame = 'pair'))
$$;
