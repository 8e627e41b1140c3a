-- Writes an event, once per subject, with a delivery for each endpoint of the account that is active and subscribed
-- now. Returns how many deliveries; if there are any, the caller must wake the deliverers after the commit. The
-- transaction must have locked the account, because its events are numbered in the order of their commits. Another
-- statement may call this function. move_generations writes the events and deliveries of generations in the same way: a
-- change belongs in both. `service/src/webhooks/events/compose-event.ts` makes the text.
create or replace function write_event(
  p_event_id text,
  p_account_id text,
  p_type text,
  p_subject_id text,
  p_body text,
  p_at timestamptz
) returns integer
language sql volatile
set enable_seqscan = off
as $$
  with event as (
    insert into events (id, account_id, type, subject_id, body, created_at)
      values (p_event_id, p_account_id, p_type, p_subject_id, p_body, p_at)
  ), stream as (
    insert into account_events (account_id, id, type, subject_id, created_at)
      values (p_account_id, p_event_id, p_type, p_subject_id, p_at)
  ), delivery as (
    insert into deliveries (id, endpoint_id, account_id, event_id, event_type, created_at)
      select new_delivery_id(p_event_id), e.id, p_account_id, p_event_id, p_type, p_at
        from webhook_endpoints e
       where e.account_id = p_account_id and e.paused_at is null and e.deleted_at is null
         and p_type = any (e.events)
    returning id, endpoint_id
  ), queued as (
    insert into delivery_queue (delivery_id, endpoint_id, ping, scheduled_at, claim_at)
      select id, endpoint_id, false, p_at, p_at from delivery
  ), turn as (
    insert into endpoint_turns as t (endpoint_id, account_id, next_due)
      select endpoint_id, p_account_id, p_at from delivery order by endpoint_id
    -- Locks the row in any case. The lock prevents another transaction from setting next_due too late meanwhile.
    on conflict (endpoint_id) do update set next_due = excluded.next_due
      where t.next_due is null or t.next_due > excluded.next_due
  )
  select count(*)::integer from delivery
$$;
