-- Finds the earlier request that a create of a facade repeats and hands it to its new holder, or stores the create as a new
-- one (decision 0038). Outcomes:
--   new      nothing like it is waiting for its client
--   adopted  request and id are those of the earlier one
--   held     a client that says it repeats finds its first exchange still open: ask again in a moment
-- Two equal requests at once are told apart by the lock: the second sees the row of the first, which has a living holder.
create or replace function take_facade_call(
  p_id text,
  p_account_id text,
  p_fingerprint bytea,
  p_request jsonb,
  p_holder text,
  p_lease interval,
  -- The client says that it repeats.
  p_repeats boolean,
  -- Without that a request counts as a repetition within this time only, and once.
  p_unsaid interval,
  p_said interval,
  -- Its first exchange was waited for long enough.
  p_give_up boolean
) returns table (outcome text, id text, request jsonb)
language plpgsql volatile
as $$
declare
  at timestamptz;
  earlier facade_calls;
begin
  perform pg_advisory_xact_lock(hashtextextended(p_account_id || encode(p_fingerprint, 'hex'), 0));
  -- After the wait for the lock.
  at := clock();
  -- One whose answer was lost comes before one whose answer a proxy took.
  select * into earlier from facade_calls f
    where f.account_id = p_account_id and f.fingerprint = p_fingerprint
      and f.created_at > at - case when p_repeats then p_said else p_unsaid end
      and (f.holder is null or f.held_until < at)
      and (f.delivered_at is null or p_repeats)
      and (f.adoptions = 0 or p_repeats and f.delivered_at is null)
    order by f.delivered_at is not null, f.created_at desc
    limit 1 for update;
  if found then
    update facade_calls f
      set holder = p_holder, held_until = at + p_lease, delivered_at = null, adoptions = f.adoptions + 1
      where f.id = earlier.id;
    return query select 'adopted', earlier.id, earlier.request;
    return;
  end if;
  if p_repeats and not p_give_up and exists (
    select from facade_calls f
      where f.account_id = p_account_id and f.fingerprint = p_fingerprint
        and f.created_at > at - p_said and f.held_until >= at
  ) then
    return query select 'held', null::text, null::jsonb;
    return;
  end if;
  insert into facade_calls (id, account_id, fingerprint, request, created_at, holder, held_until)
    values (p_id, p_account_id, p_fingerprint, p_request, at, p_holder, at + p_lease);
  return query select 'new', p_id, p_request;
end
$$;
