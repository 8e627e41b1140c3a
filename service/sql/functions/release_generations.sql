-- Puts claims back, each only if its attempt is still the current one, and makes the accounts pause: 1 s, doubling to
-- 30 s, and randomly up to a quarter more or less, so that accounts that failed together do not return together.
create or replace function release_generations(p_releases json)
returns table (id text, account_id text, wait_ms double precision)
language plpgsql volatile
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  releases generation_release[];
begin
  releases := array(select r from json_populate_recordset(null::generation_release, p_releases) as r);
  perform 1 from accounts
    where id in (select account_id from unnest(releases)) order by id for no key update;

  return query
  with released as (
    update generations g
       set holds_slot = false, lease_owner = null, lease_until = null,
           submit_sent_at = case when r.unsent then null else g.submit_sent_at end
      from unnest(releases) r
     where g.id = r.id and g.account_id = r.account_id and g.attempt = r.attempt
       and g.status = 'queued' and g.holds_slot
    returning g.id, g.account_id, r.retry_after_ms, r.at_once
  ), paused as (
    update accounts a
       set dispatch_failures = least(a.dispatch_failures + 1, 30),
           dispatch_after = clock() + greatest(
             p.retry_after_ms, least(30000, 1000 * 2 ^ least(a.dispatch_failures, 5)) * (0.75 + random() / 2)
           ) * interval '1 millisecond'
      from (select account_id, max(retry_after_ms) as retry_after_ms from released
             where at_once is not true group by account_id) p
     where a.id = p.account_id
    returning a.id, (extract(epoch from a.dispatch_after - clock()) * 1000)::double precision as wait_ms
  )
  select released.id, released.account_id, paused.wait_ms
    from released left join paused on paused.id = released.account_id;
end
$$;
