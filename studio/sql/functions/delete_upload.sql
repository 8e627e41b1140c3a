-- Deletes an upload. Its token names nothing from then on and never will. Returns the folder of its file, which is then
-- an orphan. `studio/src/storage/orphan-folders.ts` removes orphans.
create or replace function delete_upload(account text, upload_token text) returns text language plpgsql as $$
declare
  folder_of_file text;
begin
  perform 1 from accounts where id = account for update;
  insert into deleted_uploads (account_id, token) values (account, upload_token)
    on conflict (account_id, token) do update set deleted_at = clock();
  delete from uploads where account_id = account and token = upload_token
    returning split_part(storage_key, '/', 1) into folder_of_file;
  if folder_of_file is not null then
    insert into loose_folders (folder, remove_after) values (folder_of_file, clock())
      on conflict (folder) do update set remove_after = clock();
  end if;
  return folder_of_file;
end $$;
