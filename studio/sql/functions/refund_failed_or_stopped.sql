-- Refunds a failed render in full. A stopped render is refunded only if no engine had begun it at a cost to the
-- installation, or if its account's plan grants it. `stop_render` stores what the plan grants. A render that a worker
-- draws itself has begun once it is claimed: nothing is sent for it.
create or replace function refund_failed_or_stopped(r renders) returns void language plpgsql as $$
begin
  if r.error->>'code' = 'stopped' and r.stop_refund is distinct from 'full' and exists (
    select from submissions s
      join routes o on (o.model_id, o.version, o.route) = (s.model_id, s.version, s.route)
     where s.render_id = r.id and o.cost is not null
       and (s.sent_at is not null or s.lost_at is not null or o.engine in ('procedural', 'sandbox'))) then
    return;
  end if;
  perform refund(r.account_id, r.token);
end $$;
