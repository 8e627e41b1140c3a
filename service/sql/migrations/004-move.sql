-- The one place where a generation's status changes, with all that hangs on it.

-- One change of status. Nulls of the lower half leave what is there.
create type generation_move as (
  id text,
  account_id text,
  from_status text,
  to_status text,
  -- Only if it is still this attempt's; null: whosever it is.
  attempt integer,
  -- Only if nobody has claimed it and its submit never left.
  untouched boolean,
  -- The moment, by this clock; null: that of the statement.
  at timestamptz,
  prompt_id text,
  project_id text,
  charge_ledger_seq bigint,
  -- JSON as text.
  outputs text,
  error_code text,
  error_message text,
  event_id text,
  event_type text,
  event_body text
);

-- Makes each change whose generation is still as the caller saw it, and answers those that it made. The account's
-- counters, the key's budget of the day of the create and the event follow in the same transaction. What starts to
-- run is watched from then on: by p_watcher, unless somebody's lease on the account's feed still holds. p_cursors is
-- how far the feeds are applied with these changes ({account_id, cursor}); only their watcher's word counts.
create function move_generations(
  p_moves json,
  p_cursors json,
  p_watcher text,
  p_watch_lease interval
) returns table (id text, account_id text, lane text, to_status text, watching boolean)
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
            m.event_id, m.event_type, m.event_body)::generation_move
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
  if moves = '{}' then
    return;
  end if;

  -- A job that runs or has just ended keeps its account watched for five minutes more.
  insert into watches as w (account_id, watch_until, owner, lease_until)
    select distinct m.account_id, clock() + interval '5 minutes', p_watcher, clock() + p_watch_lease
      from unnest(moves) m
     where p_watcher is not null and (m.to_status = 'running' or m.from_status = 'running')
     order by m.account_id
    on conflict (account_id) do update
       set watch_until = excluded.watch_until,
           owner = case when w.lease_until > clock() then w.owner else excluded.owner end,
           lease_until = case when w.lease_until > clock() then w.lease_until else excluded.lease_until end
     where w.watch_until < clock() + interval '4 minutes' or w.lease_until is null or w.lease_until <= clock();
  mine := array(
    select w.account_id from watches w
     where w.owner = p_watcher and w.account_id in (select account_id from unnest(moves)));

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
           -- The studio took or finished something: it is within reach and a place may be free.
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
      select event_id, moved.account_id, event_type, moved.id, event_body, at
        from moved where event_id is not null
  )
  select moved.id, moved.account_id, moved.lane, moved.to_status, moved.account_id = any (mine) from moved;
end
$$;
