-- Returns the bytes that the account may still store, not counting those that other folders have reserved; negative
-- beyond the limit. The caller must hold the account's lock. `studio/src/storage/reserve.ts` refuses files, and
-- `fullStorageRefusal` in `studio/src/renders/create-quotes.ts` refuses renders.
create or replace function free_storage(account text, for_folder text) returns bigint language sql stable as $$
  select coalesce(a.storage_override_bytes, a.limit_storage_bytes) - a.uploads_bytes - a.outputs_bytes
    - coalesce((select sum(l.reserved_bytes) from loose_folders l
        where l.account_id = account and l.folder <> for_folder), 0)::bigint
  from accounts a where a.id = account
$$;
