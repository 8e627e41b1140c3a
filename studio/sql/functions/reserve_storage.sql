-- Reserves at least `needed` bytes for what is being written into an announced folder, and up to `wanted` if there is
-- space. Returns null and changes nothing if there is no space for `needed`. `openReservation` in
-- `studio/src/storage/reserve.ts` decides how much to ask for.
create or replace function reserve_storage(account text, for_folder text, needed bigint, wanted bigint)
returns bigint language plpgsql as $$
declare
  granted bigint;
begin
  perform 1 from accounts where id = account for update;
  granted := least(greatest(needed, wanted), free_storage(account, for_folder));
  if granted is null or granted < needed then return null; end if;
  update loose_folders set account_id = account, reserved_bytes = granted where folder = for_folder;
  return granted;
end $$;
