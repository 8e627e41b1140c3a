-- Ends up to p_most deliveries of a deleted endpoint and returns how many it ended. A running attempt may still
-- deliver. Runs seldom, so its statements are planned for the current data.
create or replace function end_deliveries(p_endpoint_id text, p_most integer) returns integer
language plpgsql volatile
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  at constant timestamptz := clock();
  ended integer;
begin
  perform 1 from endpoint_turns where endpoint_id = p_endpoint_id for no key update;
  with waiting as (
    select q.delivery_id from delivery_queue q
     where q.endpoint_id = p_endpoint_id and (q.lease_until is null or q.lease_until <= at)
     order by q.claim_at limit p_most
  ), gone as (
    delete from delivery_queue q using waiting w where q.delivery_id = w.delivery_id
    returning q.delivery_id, q.tries, q.lease_owner, q.claimed_at, q.claimed_number
  ), cut_off as (
    insert into delivery_attempts (delivery_id, try, number, started_at, ended_at, failure)
      select delivery_id, tries, claimed_number, claimed_at, at, 'interrupted' from gone where lease_owner is not null
  ), marked as (
    update deliveries d set status = 'ended', given_up = 'ended', completed_at = at
      from waiting w where d.id = w.delivery_id and d.status = 'pending'
  )
  select count(*) into ended from waiting;
  update endpoint_turns t
     set leases = leases_left(t.leases, '{}', at),
         next_due = next_due_of(t.endpoint_id, false, leases_left(t.leases, '{}', at), at)
   where t.endpoint_id = p_endpoint_id;
  return ended;
end
$$;
