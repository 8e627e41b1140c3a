-- Returns whether a route takes a render of this shape. `shape.has` names only media that are there. `takes` in
-- `manifests/src/accepted-requests.ts` is the same rule for a manifest, and `studio/src/catalog/route-row.ts` makes
-- `needs` and `lacks`.
create or replace function route_takes(needs jsonb, lacks text[], shape jsonb) returns boolean language sql immutable as $$
  select shape @> needs and (lacks = '{}' or not coalesce(shape->'has', '{}') ?| lacks)
$$;
