-- When an endpoint may next be served, if its turn has these leases; its row is locked. Early is harmless, late is not.
create or replace function next_due_of(p_endpoint_id text, p_failing boolean, p_leases timestamptz[], p_at timestamptz)
returns timestamptz
language sql stable
as $$
  select case
    -- Out of the way of the others until its one place is free. Others stay due while they are full: that
    -- lasts a moment, and the row's index entry can stay as it is.
    when p_failing and p_leases <> '{}' then (select min(l) from unnest(p_leases) as l)
    else coalesce(
      case when (select e.paused_at is not null and e.deleted_at is null from webhook_endpoints e where e.id = p_endpoint_id)
        -- Its pings alone go on.
        then (select q.claim_at from delivery_queue q
               where q.endpoint_id = p_endpoint_id and q.ping and (q.lease_until is null or q.lease_until <= p_at)
               order by q.claim_at limit 1)
        else (select q.claim_at from delivery_queue q
               where q.endpoint_id = p_endpoint_id and (q.lease_until is null or q.lease_until <= p_at)
               order by q.claim_at limit 1)
      end,
      -- Nothing waits; should a lease lapse, what it held is due again.
      (select min(l) from unnest(p_leases) as l))
  end
$$;
