-- Returns how many renders run and how many may run, per lane and overall. `running_elsewhere`: those that the asking
-- client did not start. `accept_renders` refuses renders beyond these limits.
create or replace function limits_json(account text, asking_client text) returns json language sql stable as $$
  select json_build_object(
    'overall', json_build_object('limit', a.limit_overall, 'running', r.all_running, 'running_elsewhere', r.all_elsewhere),
    'image', json_build_object('limit', a.limit_image, 'running', r.image, 'running_elsewhere', r.image_elsewhere),
    'edit', json_build_object('limit', a.limit_edit, 'running', r.edit, 'running_elsewhere', r.edit_elsewhere),
    'video', json_build_object('limit', a.limit_video, 'running', r.video, 'running_elsewhere', r.video_elsewhere))
  from accounts a, lateral (
    select count(*) as all_running, count(*) filter (where client_id <> asking_client) as all_elsewhere,
      count(*) filter (where lane = 'image') as image,
      count(*) filter (where lane = 'image' and client_id <> asking_client) as image_elsewhere,
      count(*) filter (where lane = 'edit') as edit,
      count(*) filter (where lane = 'edit' and client_id <> asking_client) as edit_elsewhere,
      count(*) filter (where lane = 'video') as video,
      count(*) filter (where lane = 'video' and client_id <> asking_client) as video_elsewhere
    from renders where account_id = account and status in ('queued', 'running') and completed_at is null
  ) r where a.id = account
$$;
