-- Returns when an endpoint may next be served if its turn has these leases. The caller has locked its row. A time that
-- is too early is harmless; one that is too late is not.
create or replace function next_due_of(p_endpoint_id text, p_failing boolean, p_leases timestamptz[], p_at timestamptz)
returns timestamptz
language sql stable
as $$
  select case
    -- A failing endpoint waits until its single place is free. Others stay due while they are full: this lasts only a
    -- moment, and the row's index entry need not change.
    when p_failing and p_leases <> '{}' then (select min(l) from unnest(p_leases) as l)
    else coalesce(
      case when (select e.paused_at is not null and e.deleted_at is null from webhook_endpoints e where e.id = p_endpoint_id)
        -- A paused endpoint only gets pings.
        then (select q.claim_at from delivery_queue q
               where q.endpoint_id = p_endpoint_id and q.ping and (q.lease_until is null or q.lease_until <= p_at)
               order by q.claim_at limit 1)
        else (select q.claim_at from delivery_queue q
               where q.endpoint_id = p_endpoint_id and (q.lease_until is null or q.lease_until <= p_at)
               order by q.claim_at limit 1)
      end,
      -- No delivery waits. If a lease expires, its delivery is due again.
      (select min(l) from unnest(p_leases) as l))
  end
$$;
