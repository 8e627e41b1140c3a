-- Keeps the accounts of jobs that run or have just ended watched for five minutes more: by p_watcher, unless another
-- lease on the account's feed is still valid. Returns those of the accounts that p_watcher watches now. The five
-- minutes are also in `service/src/generations/follow/store.ts`.
create or replace function extend_watches(p_moves generation_move[], p_watcher text, p_watch_lease interval)
returns text[]
language plpgsql volatile
set enable_seqscan = off
as $$
begin
  insert into watches as w (account_id, watch_until, owner, lease_until)
    select distinct m.account_id, clock() + interval '5 minutes', p_watcher, clock() + p_watch_lease
      from unnest(p_moves) m
     where p_watcher is not null and (m.to_status = 'running' or m.from_status = 'running')
     order by m.account_id
    on conflict (account_id) do update
       set watch_until = excluded.watch_until,
           owner = case when w.lease_until > clock() then w.owner else excluded.owner end,
           lease_until = case when w.lease_until > clock() then w.lease_until else excluded.lease_until end
     where w.watch_until < clock() + interval '4 minutes' or w.lease_until is null or w.lease_until <= clock();
  return array(
    select w.account_id from watches w
     where w.owner = p_watcher and w.account_id in (select account_id from unnest(p_moves)));
end
$$;
