-- Deletes an item with the frames taken from it. Returns the folders of their files, which are then orphans.
-- `studio/src/storage/orphan-folders.ts` removes orphans.
create or replace function delete_asset(account text, asset text) returns setof text language plpgsql as $$
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
