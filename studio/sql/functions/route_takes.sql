-- Returns whether a route takes a render of this shape. `shape.has` names only media that are there.
create or replace function route_takes(needs jsonb, lacks text[], shape jsonb) returns boolean language sql immutable as $$
  select shape @> needs and (lacks = '{}' or not coalesce(shape->'has', '{}') ?| lacks)
$$;
