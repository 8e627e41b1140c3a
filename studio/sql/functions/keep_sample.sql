-- What a sample made is shown with its version, unless the manifest names an image of its own; and how long it took.
create or replace function keep_sample(r renders, made jsonb) returns void language sql as $$
  update model_versions v set
    sample_seconds = (select sum(s.run_seconds) from submissions s where s.render_id = r.id and s.state = 'done'),
    thumbnail_key = case when v.manifest->>'thumbnail' is null then made->0->>'thumb_key' else v.thumbnail_key end
  where v.model_id = r.model and v.version = r.model_version
$$;
