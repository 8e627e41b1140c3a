-- Takes a token off for good, so that no submit of it is ever accepted, unless it is known already. The account's readers
-- are told by a change of type 'render' that has no render: a client may have the job in a queue of its own, and would
-- learn of it at its next submit only.
create or replace function bar_render(account text, bar_token text, client text, new_id text)
returns table (outcome text, render json) language plpgsql as $$
declare
  r renders;
begin
  perform 1 from accounts where id = account for update;
  select * into r from renders where account_id = account and token = bar_token;
  if not found then
    insert into renders (id, account_id, token, client_id, status) values (new_id, account, bar_token, client, 'barred');
    perform record_change(account, 'render', bar_token, null::json);
    return query select 'barred', null::json;
  elsif r.status in ('barred', 'refused') then
    return query select 'barred', null::json;
  else
    return query select 'known', render_json(r);
  end if;
end $$;
