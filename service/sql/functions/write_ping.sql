-- Writes a ping to one endpoint, whatever it subscribes to, even if it is paused. Returns the delivery's id; null where
-- there is no such endpoint.
create or replace function write_ping(p_event_id text, p_endpoint_id text, p_body text, p_at timestamptz) returns text
language sql volatile
as $$
  with endpoint as (
    select id, account_id from webhook_endpoints where id = p_endpoint_id and deleted_at is null
  ), event as (
    insert into events (id, account_id, type, subject_id, body, created_at)
      select p_event_id, account_id, 'ping', p_event_id, p_body, p_at from endpoint
  ), delivery as (
    insert into deliveries (id, endpoint_id, account_id, event_id, event_type, created_at)
      select new_delivery_id(p_event_id), id, account_id, p_event_id, 'ping', p_at from endpoint
    returning id, endpoint_id, account_id
  ), queued as (
    insert into delivery_queue (delivery_id, endpoint_id, ping, scheduled_at, claim_at)
      select id, endpoint_id, true, p_at, p_at from delivery
  ), turn as (
    insert into endpoint_turns as t (endpoint_id, account_id, next_due)
      select endpoint_id, account_id, p_at from delivery
    on conflict (endpoint_id) do update set next_due = least(t.next_due, excluded.next_due)
  )
  select id from delivery
$$;
