-- Keeps outputs_bytes of accounts in the statement that adds or removes items of the library. `free_storage` compares
-- it with the account's limit.
create or replace function count_assets() returns trigger language plpgsql as $$
begin
  update accounts a set outputs_bytes = a.outputs_bytes + c.bytes
    from (select account_id, sum(case tg_op when 'DELETE' then -size_bytes else size_bytes end) as bytes
            from changed group by account_id) c
   where a.id = c.account_id and a.id = any(array(select account_id from changed));
  return null;
end $$;
