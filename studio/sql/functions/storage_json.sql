-- What an account stores and may store, as the contract shows it.
create or replace function storage_json(a accounts) returns json language sql stable as $$
  select json_build_object(
    'used_bytes', a.uploads_bytes + a.outputs_bytes,
    'limit_bytes', coalesce(a.storage_override_bytes, a.limit_storage_bytes),
    'uploads_bytes', a.uploads_bytes, 'outputs_bytes', a.outputs_bytes)
$$;
