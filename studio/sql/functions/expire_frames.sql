-- Removes frames past their time. Returns the folders of their files, which are orphans from then on.
-- `studio/src/library/store.ts` sets and extends the time (`kept_until`).
create or replace function expire_frames(at_most integer) returns setof text language plpgsql as $$
declare
  due frames[];
begin
  due := array(select f from frames f where f.kept_until <= clock() order by f.kept_until limit at_most);
  -- Locks accounts before their rows, as everywhere.
  perform 1 from accounts where id = any(array(
    select v.account_id from unnest(due) d join assets v on v.id = d.video_id)) order by id for update;
  return query
    with gone as (
      delete from frames f using unnest(due) d
      where f.video_id = d.video_id and f.time_ms = d.time_ms and f.kept_until <= clock()
      returning split_part(f.storage_key, '/', 1) as folder
    )
    insert into loose_folders (folder, remove_after) select folder, clock() from gone
    on conflict (folder) do update set remove_after = clock() returning folder;
end $$;
