-- Returns why nothing can make a sample now, in an operator's words; null if something may.
create or replace function sample_obstacle(render text) returns text language sql stable as $$
  select case when bool_and(why is not null) then string_agg(distinct why, ' ') end
  from (
    select obstacle(o, b, f) as why
    from renders r
    join routes o on (o.model_id, o.version) = (r.model, r.model_version) and route_takes(o.needs, o.lacks, r.shape)
      and (o.cost is null or r.sample = 'paid')
    left join backends b on b.engine = o.engine and (b.name = any(o.backends) or o.backends && b.labels)
    left join route_fits f on (f.backend, f.model_id, f.version, f.route) = (b.name, o.model_id, o.version, o.route)
    where r.id = render
  ) named
$$;
