-- Makes each move whose generation is still in the state that the caller saw, and returns the moves that it made. The
-- account's counters, the key's budget of the day of the create and the events change in the same transaction. An
-- account with a job that starts to run is watched from then on: by p_watcher, unless another lease on the account's
-- feed is still valid. p_cursors says how far the feeds are applied with these moves ({account_id, cursor}); the cursor
-- of an account counts only if p_watcher watches it. Active subscribed endpoints get deliveries, as in write_event.
create or replace function move_generations(
  p_moves json,
  p_cursors json,
  p_watcher text,
  p_watch_lease interval
) returns table (id text, account_id text, lane text, to_status text, watching boolean, deliveries integer)
language plpgsql volatile
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  moves generation_move[];
  mine text[];
begin
  moves := array(
    select (m.id, m.account_id, m.from_status, m.to_status, m.attempt, m.untouched, coalesce(m.at, clock()),
            m.prompt_id, m.project_id, m.charge_ledger_seq, m.outputs, m.error_code, m.error_message,
            m.event_id, m.event_type, m.event_body, m.provenance)::generation_move
      from json_populate_recordset(null::generation_move, p_moves) as m);
  perform 1 from accounts
    where id in (select account_id from unnest(moves)
                 union select account_id from json_to_recordset(p_cursors) as c (account_id text))
    order by id for no key update;

  if p_cursors is not null then
    update watches w set cursor = c.cursor
      from json_to_recordset(p_cursors) as c (account_id text, cursor bigint)
     where w.account_id = c.account_id and w.owner = p_watcher;
  end if;
  if moves = '{}' then return; end if;

  mine := extend_watches(moves, p_watcher, p_watch_lease);

  return query
  with moved as (
    update generations g
       set status = m.to_status,
           holds_slot = m.to_status = 'running',
           lease_owner = null,
           lease_until = null,
           submitted_at = case when m.to_status = 'running' then m.at else g.submitted_at end,
           heard_at = case when m.to_status = 'running' then m.at else g.heard_at end,
           completed_at = case when m.to_status = 'running' then null else m.at end,
           prompt_id = coalesce(m.prompt_id, g.prompt_id),
           project_id = coalesce(m.project_id, g.project_id),
           charge_ledger_seq = coalesce(m.charge_ledger_seq, g.charge_ledger_seq),
           outputs = coalesce(m.outputs, g.outputs),
           provenance = coalesce(m.provenance, g.provenance),
           error_code = coalesce(m.error_code, g.error_code),
           error_message = coalesce(m.error_message, g.error_message)
      from unnest(moves) m
     where g.id = m.id and g.account_id = m.account_id and g.status = m.from_status
       and (m.attempt is null or g.attempt = m.attempt)
       and (m.untouched is not true or (not g.holds_slot and g.submit_sent_at is null))
    returning g.id, g.account_id, g.key_id, g.lane, g.budget_day, g.cost_millicredits, m.from_status, m.to_status,
              m.at, m.event_id, m.event_type, m.event_body
  ), account_changes as (
    select moved.account_id,
           count(*) filter (where from_status = 'queued' and moved.lane = 'image') as left_image,
           count(*) filter (where from_status = 'queued' and moved.lane = 'edit') as left_edit,
           count(*) filter (where from_status = 'queued' and moved.lane = 'video') as left_video,
           coalesce(sum(cost_millicredits) filter (where from_status = 'queued'), 0) as no_longer_uncharged,
           count(*) filter (where from_status = 'queued') as left_queue,
           -- The studio accepted or finished a render, so it is reachable and a slot may be free.
           bool_or(moved.to_status = 'running' or from_status = 'running') as studio_moved
      from moved group by moved.account_id
  ), account_update as (
    update accounts a
       set queued_image = a.queued_image - c.left_image,
           queued_edit = a.queued_edit - c.left_edit,
           queued_video = a.queued_video - c.left_video,
           uncharged_millicredits = a.uncharged_millicredits - c.no_longer_uncharged,
           dispatch_failures = case when c.studio_moved then 0 else a.dispatch_failures end,
           dispatch_after = case when c.studio_moved then null else a.dispatch_after end
      from account_changes c
     where a.id = c.account_id and (c.left_queue > 0 or (c.studio_moved and a.dispatch_after is not null))
  ), budget_update as (
    update budget_days d
       set committed_millicredits = d.committed_millicredits - freed.cost
      from (select key_id, budget_day, sum(cost_millicredits) as cost
              from moved where moved.to_status in ('failed', 'canceled') group by key_id, budget_day) freed
     where d.key_id = freed.key_id and d.day = freed.budget_day
  ), event_insert as (
    insert into events (id, account_id, type, subject_id, body, created_at)
      select event_id, account_id, event_type, id, event_body, at from moved where event_id is not null
  ), stream_insert as (
    insert into account_events (account_id, id, type, subject_id, created_at)
      select account_id, coalesce(event_id, new_event_id(at)), coalesce(event_type, 'generation.' || to_status), id, at from moved
  ), delivery_insert as (
    insert into deliveries as d (id, endpoint_id, account_id, event_id, event_type, created_at)
      select new_delivery_id(moved.event_id), e.id, moved.account_id, moved.event_id, moved.event_type, moved.at
        from moved
       -- Most accounts have no endpoints, and most moves have no event.
       cross join lateral (
         select e.id from webhook_endpoints e
          where e.account_id = moved.account_id and e.paused_at is null and e.deleted_at is null
            and moved.event_type = any (e.events)) e
       where moved.event_id is not null
    returning d.id, d.endpoint_id, d.account_id, d.event_id, d.created_at
  ), queue_insert as (
    insert into delivery_queue (delivery_id, endpoint_id, ping, scheduled_at, claim_at)
      select d.id, d.endpoint_id, false, d.created_at, d.created_at from delivery_insert d
  ), turn_update as (
    insert into endpoint_turns as t (endpoint_id, account_id, next_due)
      select d.endpoint_id, d.account_id, min(d.created_at)
        from delivery_insert d group by d.endpoint_id, d.account_id order by d.endpoint_id
    -- Locks the row in any case. The lock prevents another transaction from setting next_due too late meanwhile.
    on conflict (endpoint_id) do update set next_due = excluded.next_due
      where t.next_due is null or t.next_due > excluded.next_due
  )
  select moved.id, moved.account_id, moved.lane, moved.to_status, moved.account_id = any (mine),
         (select count(*)::integer from delivery_insert d where d.event_id = moved.event_id)
    from moved;
end
$$;
