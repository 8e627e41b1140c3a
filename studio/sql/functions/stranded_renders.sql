-- Returns renders that have waited longer than they may (seconds, by lane) while, for as long, no backend could have
-- made them: all backends that their routes name are out, cost more than the account pays, or are too small for them. A
-- render that a busy backend will make is not stranded, however long the queue. `studio/src/renders/end-stranded.ts`
-- sets the times and ends these renders.
create or replace function stranded_renders(image_seconds real, video_seconds real, at_most integer) returns setof renders
language sql stable as $$
  with able as materialized (
    select o.model_id, o.version, o.needs, o.lacks, o.cost, o.max_per_job, b, out_since(b, f) as out_since
    from (select distinct model, model_version from renders
      where status = 'queued' and tag is not null
        and tag < clock() - (least(image_seconds, video_seconds) - 600) * interval '1 second') w
    join routes o on o.model_id = w.model and o.version = w.model_version
    join backends b on b.engine = o.engine and (b.name = any(o.backends) or o.backends && b.labels)
    left join route_fits f on (f.backend, f.model_id, f.version, f.route) = (b.name, o.model_id, o.version, o.route)
  )
  select r.* from renders r
  cross join lateral (
    select clock() - interval '1 second' * case r.lane when 'video' then video_seconds else image_seconds end as since) waits
  where r.status = 'queued' and r.tag is not null and r.accepted_at <= waits.since and not exists (
    select from able a
    where a.model_id = r.model and a.version = r.model_version and route_takes(a.needs, a.lacks, r.shape)
      and (a.out_since is null or a.out_since > waits.since)
      and (a.cost is null or is_affordable(a.b, r, a.cost, a.max_per_job, day_left(a.b)))
      and (r.attempt = 0 or not exists (select from submissions t
        where t.render_id = r.id and t.backend = (a.b).name and t.blame = 'pair')))
  order by r.accepted_at limit at_most
$$;
