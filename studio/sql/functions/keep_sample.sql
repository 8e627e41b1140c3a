-- What a sample made is shown with its version, unless the manifest names an image of its own; and how long it took. So it is
-- with drafts that were made of it meanwhile and make the same, where they have no sample yet. They are locked first: one that
-- is being added then is seen, and who adds one waits for the sample's end.
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
