-- Bytes that the account may still store beside those that are reserved by other folders; negative beyond the limit. The
-- caller holds the account's lock.
create or replace function free_storage(account text, for_folder text) returns bigint language sql stable as $$
  select coalesce(a.storage_override_bytes, a.limit_storage_bytes) - a.uploads_bytes - a.outputs_bytes
    - coalesce((select sum(l.reserved_bytes) from loose_folders l
        where l.account_id = account and l.folder <> for_folder), 0)::bigint
  from accounts a where a.id = account
$$;
