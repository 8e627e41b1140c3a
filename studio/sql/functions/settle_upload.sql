-- Records the outcome of an upload's check, with the change for the account's readers, in one. The first outcome is
-- final: returns no row if there is one already. `studio/src/uploads/check-upload.ts` decides the outcome.
create or replace function settle_upload(upload text, end_status text, end_error text) returns setof uploads
language plpgsql as $$
declare
  u uploads;
begin
  select * into u from uploads where id = upload;
  if not found then return; end if;
  perform 1 from accounts where id = u.account_id for update;
  update uploads set status = end_status, error = end_error, settled_at = greatest(clock(), created_at)
  where id = upload and status = 'processing' returning * into u;
  if not found then return; end if;
  perform record_change(u.account_id, 'upload', u.token, null, upload_json(u));
  return next u;
end $$;
