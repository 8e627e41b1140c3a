-- A render as the contract shows it, except that its links lack the studio's public address.
-- `studio/src/renders/present.ts` adds the address.
create or replace function render_json(r renders) returns json language sql stable as $$
  select json_build_object(
    'token', r.token, 'render_id', r.id, 'kind', r.kind, 'status', r.status, 'prompt_id', r.prompt_id,
    'project_id', r.project_id, 'cost_millicredits', r.cost_millicredits, 'ledger_seq', r.ledger_seq,
    'expected_outputs', r.expected_outputs,
    'outputs', coalesce((
      select json_agg(json_build_object(
        'id', a.id, 'type', a.type, 'url', a.storage_key, 'thumb_url', a.thumb_key, 'width', a.width,
        'height', a.height, 'duration', a.duration, 'nsfw', a.nsfw, 'request_id', a.position,
        'made', json_build_object('seed', a.seed, 'model_version', a.model_version, 'backend', a.backend,
          'seconds', a.run_seconds)) order by a.position)
      from assets a where a.render_id = r.id), '[]'::json),
    'error', r.error, 'accepted_at', iso_time(r.accepted_at), 'completed_at', iso_time(r.completed_at))
$$;
