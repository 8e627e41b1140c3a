-- What a person looks for in a library: words of the prompt, kinds, favorites, projects. Each has an index that
-- answers newest first, so that a full library is no slower than an empty one.
alter table assets add column prompt text;
update assets a set prompt = r.request->>'prompt' from renders r where r.id = a.render_id;

-- The words of the prompt, and the account as one more word: without it the index would go through everybody's.
alter table assets add column words tsvector
  generated always as (to_tsvector('simple', coalesce(prompt, '')) || array_to_tsvector(array[account_id])) stored;
create index assets_words on assets using gin (words);
create index assets_of_type on assets (account_id, type, created_at desc, id desc);
create index assets_favorite on assets (account_id, created_at desc, id desc) where favorite;

-- A still that was saved: which video it shows, and when. Saving it twice makes one.
alter table assets add column frame_video_id text;
alter table assets add column frame_time_ms bigint;
create unique index assets_saved_frame on assets (project_id, frame_video_id, frame_time_ms)
  where project_id is not null and frame_video_id is not null;

-- Stills taken so far: the same video and time answer the same link.
create table frames (
  video_id text not null references assets,
  -- Milliseconds from the start; at or past the video's length for the last frame.
  time_ms bigint not null,
  storage_key text not null,
  width integer not null,
  height integer not null,
  size_bytes bigint not null,
  created_at timestamptz not null default clock(),
  primary key (video_id, time_ms)
);

-- Words of a search as the beginnings of words: "light sea" finds "a lighthouse by the sea". Null where there is no
-- word in it.
create function search_words(account text, search text) returns tsquery language sql immutable as $$
  select quote_literal(account)::tsquery && string_agg(
    '''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || ''':*', ' & ')::tsquery
  from unnest(to_tsvector('simple', search))
$$;

-- Deletes an item with the stills taken from it. Answers the folders of their files, which are then loose.
create function delete_asset(account text, asset text) returns setof text language plpgsql as $$
begin
  perform 1 from accounts where id = account for update;
  return query
    with taken as (
      delete from frames f using assets a
      where f.video_id = a.id and a.id = asset and a.account_id = account returning f.storage_key
    ), gone as (
      select storage_key from assets where id = asset and account_id = account
      union all select storage_key from taken
    )
    insert into loose_folders (folder, remove_after)
    select distinct split_part(storage_key, '/', 1), clock() from gone
    on conflict (folder) do update set remove_after = clock() returning folder;
  delete from assets where id = asset and account_id = account;
end $$;

-- Deletes a project; what was made in it stays in the library, and what is being made comes there too.
create function delete_project(account text, project text) returns boolean language plpgsql as $$
begin
  perform 1 from accounts where id = account for update;
  delete from projects where id = project and account_id = account;
  if not found then return false; end if;
  update assets set project_id = null where project_id = project;
  update uploads set project_id = null where project_id = project;
  return true;
end $$;

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
  if end_status = 'failed' then perform refund(r.account_id, r.token); end if;
  insert into assets (id, account_id, project_id, render_id, position, type, generation_type, storage_key, thumb_key,
    content_type, size_bytes, width, height, duration, aspect_ratio, nsfw, prompt_id, prompt)
  -- The project may have been deleted since.
  select m.id, r.account_id, (select p.id from projects p where p.id = r.project_id), r.id, m.position, m.type, r.kind,
    m.storage_key, m.thumb_key, m.content_type, m.size_bytes, m.width, m.height, m.duration, m.aspect_ratio, m.nsfw,
    r.prompt_id, r.request->>'prompt'
  from jsonb_to_recordset(made) as m (id text, position integer, type text, storage_key text, thumb_key text,
    content_type text, size_bytes bigint, width integer, height integer, duration double precision,
    aspect_ratio text, nsfw boolean);
  update projects set updated_at = clock() where id = r.project_id;
  perform record_change(r.account_id, 'render', r.token, render_json(r));
  return next r;
end $$;
