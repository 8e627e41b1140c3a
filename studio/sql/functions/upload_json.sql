-- An upload as the contract shows it, except that its link lacks the studio's public address.
-- `studio/src/uploads/present.ts` adds the address.
create or replace function upload_json(u uploads) returns json language sql stable as $$
  select json_build_object(
    'token', u.token, 'type', u.type, 'status', u.status, 'url', u.storage_key, 'file_name', u.file_name,
    'content_type', u.content_type, 'size_bytes', u.size_bytes, 'width', u.width, 'height', u.height,
    'duration_seconds', u.duration, 'project_id', u.project_id, 'error', u.error,
    'created_at', iso_time(u.created_at))
$$;
