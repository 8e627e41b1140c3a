-- Keeps outputs_bytes of accounts in the statement that adds or removes frames of videos.
create or replace function count_frames() returns trigger language plpgsql as $$
begin
  -- A frame never outlives its video's row.
  update accounts a set outputs_bytes = a.outputs_bytes + c.bytes
    from (select v.account_id, sum(case tg_op when 'DELETE' then -f.size_bytes else f.size_bytes end) as bytes
            from changed f join assets v on v.id = f.video_id
           where v.id = any(array(select video_id from changed)) group by v.account_id) c
   where a.id = c.account_id and a.id = any(array(
     select account_id from assets where id = any(array(select video_id from changed))));
  return null;
end $$;
