-- Tombstones a token that is not known yet, so that no submit of it is ever accepted. The account's readers get a
-- change of type 'render' that has no render: a client may have the job in its own queue, and would otherwise learn of
-- this only at its next submit. Release 1 has the outcome and the status `barred`.
create or replace function tombstone_render(account text, render_token text, client text, new_id text)
returns table (outcome text, render json) language plpgsql as $$
declare
  r renders;
begin
  perform 1 from accounts where id = account for update;
  select * into r from renders where account_id = account and token = render_token;
  if not found then
    insert into renders (id, account_id, token, client_id, status) values (new_id, account, render_token, client, 'barred');
    perform record_change(account, 'render', render_token, null::json);
    return query select 'barred', null::json;
  elsif r.status in ('barred', 'refused') then
    return query select 'barred', null::json;
  else
    return query select 'known', render_json(r);
  end if;
end $$;
