-- Returns whether a render that was tried before must avoid this backend. A render that is too much for the backend
-- always avoids it. After a fault of the backend, a render avoids it for at most a minute, while another backend is
-- ready for the render.
create or replace function is_kept_away(r renders, asking text) returns boolean language sql stable as $$
  select exists (select from submissions t where t.render_id = r.id and t.backend = asking and (t.blame = 'pair'
    or t.blame = 'backend' and t.ended_at > clock() - interval '1 minute' and exists (
      select from route_fits g
      join routes p on (p.model_id, p.version, p.route) = (g.model_id, g.version, g.route)
      join backends c on c.name = g.backend
      where g.model_id = r.model and g.version = r.model_version and g.fits and g.backend <> asking
        and is_ready(c) and route_takes(p.needs, p.lacks, r.shape)
        and not exists (select from submissions u
          where u.render_id = r.id and u.backend = c.name and u.blame in ('backend', 'pair')))))
$$;
