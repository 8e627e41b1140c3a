-- Returns the versions of models that something may still be rendered with: versions that are offered, those of renders
-- that wait or run, and those that were offered while a quote was made that is still valid. The 26 hours are longer
-- than `quoteLifetimeSeconds` in `contract/studio/operations.ts`. Also the newest version of each model, offered or a
-- draft: drafts are checked against machines too.
create or replace function live_versions() returns table (model_id text, version integer) language sql stable as $$
  select id, published_version from models where published_version is not null
  union select model, model_version from renders where status in ('queued', 'running') and accepted_at > '-infinity'
    and model_version is not null
  union select id, newest_version from models where retired_at is null
  union select v.model_id, v.version from model_versions v where v.published_at is not null and not exists (
    select from model_versions n where n.model_id = v.model_id and n.version > v.version
      and n.published_at < clock() - interval '26 hours')
$$;
