-- Returns the position of each waiting render among all that the same backends could make, in the order of turns, and
-- why it waits: null if an engine is about to take it. A local engine counts its lanes apart. `running`: jobs at those
-- backends now.
create or replace function render_waits(ids text[])
returns table (render text, "position" integer, "of" integer, reason text, running integer) language sql stable as $$
  with groups as (
    select g.model, g.model_version, g.lane, coalesce(array_agg(b.name) filter (where f.fits), '{}') as backends,
      coalesce(bool_and(b.is_local) filter (where f.fits), false) as is_local
    from (select distinct model, model_version, lane from renders where id = any(ids) and status = 'queued') g
    left join route_fits f on f.model_id = g.model and f.version = g.model_version
    left join backends b on b.name = f.backend
    group by g.model, g.model_version, g.lane
  ), turns as (
    select g.model, g.model_version, g.lane, w.id, row_number() over turn as "position",
      count(*) over (partition by g.model, g.model_version, g.lane) as "of",
      -- Whether a render of another account is before it.
      min(w.account_id) over turn <> w.account_id or max(w.account_id) over turn <> w.account_id as is_behind_others
    from groups g
    cross join lateral (select distinct model_id, version from route_fits where backend = any(g.backends) and fits) m
    join renders w on w.model = m.model_id and w.model_version = m.version and w.status = 'queued' and w.tag is not null
      and (w.lane = g.lane or not g.is_local)
      -- A postponed render delays no other.
      and (w.not_before is null or w.not_before <= clock())
    window turn as (partition by g.model, g.model_version, g.lane order by w.tag, w.id)
  )
  select a.id, t."position"::integer, t."of"::integer,
    case when why.reason = 'fair_share' and t.is_behind_others is not true then 'engine_busy' else why.reason end,
    (select count(*) from submissions s where s.backend = any(g.backends) and s.state in ('intended', 'sent', 'lost'))::integer
  from renders a
  cross join lateral (select queue_reason(a) as reason) why
  join groups g on (g.model, g.model_version, g.lane) is not distinct from (a.model, a.model_version, a.lane)
  left join turns t on t.id = a.id and (t.model, t.model_version, t.lane) = (a.model, a.model_version, a.lane)
  where a.id = any(ids) and a.status = 'queued'
$$;
