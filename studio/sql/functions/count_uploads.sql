-- Keeps uploads_bytes of accounts in the statement that adds or removes uploads.
create or replace function count_uploads() returns trigger language plpgsql as $$
begin
  update accounts a set uploads_bytes = a.uploads_bytes + c.bytes
    from (select account_id, sum(case tg_op when 'DELETE' then -size_bytes else size_bytes end) as bytes
            from changed where status <> 'rejected' group by account_id) c
   -- An array, so that the rows are looked up whatever number of rows the planner expects.
   where a.id = c.account_id and a.id = any(array(select account_id from changed));
  return null;
end $$;
