-- Stops counting the file of a rejected upload at once.
create or replace function discount_upload() returns trigger language plpgsql as $$
begin
  update accounts set uploads_bytes = uploads_bytes - new.size_bytes where id = new.account_id;
  return null;
end $$;
