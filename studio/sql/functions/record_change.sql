-- Adds a change to an account's feed. `studio/src/changes/watch-changes.ts` sends the feed to its readers.
create or replace function record_change(account text, change_type text, change_token text, render json, upload json default null)
returns bigint language plpgsql as $$
declare
  change_number bigint;
begin
  update accounts set change_seq = change_seq + 1 where id = account returning change_seq into strict change_number;
  insert into changes (account_id, seq, type, token, render, upload)
  values (account, change_number, change_type, change_token, render, upload);
  return change_number;
end $$;
