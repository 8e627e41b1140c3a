-- `tombstone_render` under its former name: what the release before calls.
create or replace function bar_render(account text, bar_token text, client text, new_id text)
returns table (outcome text, render json) language plpgsql as $$
begin
  return query select * from tombstone_render(account, bar_token, client, new_id);
end $$;
