-- Ends a render in one transaction: stores what it made or what went wrong, refunds it if it failed, and records the
-- change for the account's readers. `at_attempt` fences out a worker that was overtaken; null (the job was lost with
-- its worker) fences out all of them. Returns no row if the caller was fenced out. The callers decide whether the
-- render succeeded: `finishWithMade` in `studio/src/renders/end-submission.ts`, and `stop_render` for a waiting render.
create or replace function finish_render(render text, at_attempt integer, end_status text, end_error jsonb, made jsonb)
returns setof renders language plpgsql as $$
declare
  r renders;
begin
  select * into r from renders where id = render;
  if not found then return; end if;
  perform 1 from accounts where id = r.account_id for update;
  update renders set status = end_status, error = end_error, completed_at = greatest(clock(), accepted_at),
    attempt = case when at_attempt is null then attempt + 1 else attempt end
  where id = render and status in ('queued', 'running') and attempt = coalesce(at_attempt, attempt)
  returning * into r;
  if not found then return; end if;
  if end_status = 'failed' then perform refund_failed_or_stopped(r); end if;
  insert into assets (id, account_id, project_id, render_id, position, type, generation_type, storage_key, thumb_key,
    content_type, size_bytes, width, height, duration, aspect_ratio, nsfw, prompt_id, prompt, seed, model_version, backend,
    run_seconds)
  -- The project may have been deleted since.
  select m.id, r.account_id, (select p.id from projects p where p.id = r.project_id), r.id, m.position, m.type, r.kind,
    m.storage_key, m.thumb_key, m.content_type, m.size_bytes, m.width, m.height, m.duration, m.aspect_ratio, m.nsfw,
    r.prompt_id, r.request->>'prompt', m.seed, job.version, job.backend, job.run_seconds
  from jsonb_to_recordset(made) as m (id text, position integer, type text, storage_key text, thumb_key text,
    content_type text, size_bytes bigint, width integer, height integer, duration double precision,
    aspect_ratio text, nsfw boolean, seed bigint)
  left join submissions job on job.render_id = r.id and job.made is not null
    and m.position >= job.first_output and m.position < job.first_output + job.outputs;
  if r.sample is not null and made <> '[]' then perform keep_sample(r, made); end if;
  update projects set updated_at = clock() where id = r.project_id;
  delete from render_progress where render_id = r.id;
  perform record_change(r.account_id, 'render', r.token, render_json(r));
  return next r;
end $$;
