-- Stores a sample's image and run time with its version; the image only if the manifest names no image. Does the same
-- for drafts that were made from the version meanwhile and make the same, if they have no sample yet. The versions are
-- locked first: so a version that is being added is seen, and a process that adds one waits for the sample's end.
create or replace function keep_sample(r renders, made jsonb) returns void language sql as $$
  select from model_versions v where v.model_id = r.model order by v.version for no key update;
  update model_versions v set
    sample_seconds = (select sum(s.run_seconds) from submissions s where s.render_id = r.id and s.state = 'done'),
    thumbnail_key = case when v.manifest->>'thumbnail' is null then made->0->>'thumb_key' else v.thumbnail_key end
  from model_versions own
  where own.model_id = r.model and own.version = r.model_version and v.model_id = r.model
    and (v.version = own.version
      or v.sample_seconds is null and coalesce(v.same_as, v.version) = coalesce(own.same_as, own.version))
$$;
