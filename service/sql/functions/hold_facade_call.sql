-- Finds the earlier request that a create of a facade repeats and hands it to its new holder, or stores the create as a new
-- one (decisions 0038 and 0062). Outcomes:
--   new      nothing like it is waiting for its client
--   adopted  request and id are those of the earlier one
--   held     the lease of an earlier one lasts, and yet it may be over: the client says that it repeats, or the process
--            that holds it is not there. Ask again in a moment: only the end of the lease hands it over.
-- Two equal requests at once are told apart by the lock: the second sees the row of the first, which has a living holder.
create or replace function hold_facade_call(
  p_id text,
  p_account_id text,
  p_fingerprint bytea,
  p_request jsonb,
  p_holder text,
  p_lease interval,
  -- Key of the advisory lock by which the process shows that it lives; null where it holds none.
  p_presence bigint,
  -- The client says that it repeats.
  p_repeats boolean,
  -- Without that a request counts as a repetition within this time only. Both times run from the last moment at which
  -- somebody waited for the earlier request.
  p_unsaid interval,
  p_said interval,
  -- Its first exchange was waited for long enough.
  p_give_up boolean
) returns table (outcome text, id text, request jsonb)
language plpgsql volatile
as $$
declare
  at timestamptz;
  since timestamptz;
  earlier facade_calls;
begin
  perform pg_advisory_xact_lock(hashtextextended(p_account_id || encode(p_fingerprint, 'hex'), 0));
  -- After the wait for the lock.
  at := clock();
  since := at - case when p_repeats then p_said else p_unsaid end;
  -- One whose client was lost comes first, then the newest: what was refused later than an answer went out is what is repeated.
  select * into earlier from facade_calls f
    where f.account_id = p_account_id and f.fingerprint = p_fingerprint
      -- The longest HOLD_SECONDS. It keeps the search short where an account asks for the same all day.
      and f.created_at > since - interval '1 hour'
      and greatest(f.created_at, f.held_until, f.let_go_at, f.delivered_at) > since
      and (f.holder is null or f.held_until < at)
      and case
        -- Refused, and its client told to ask again: nothing was made of it. Who does not say that it repeats is another.
        when f.holder is null and f.let_go_at is null and f.delivered_at is null
          then p_repeats and f.created_at > at - p_unsaid
        when f.delivered_at is null then true
        -- A proxy took the answer, and its client notices at its own time-out: minutes later.
        else p_repeats and f.adoptions = 0
      end
    order by (f.delivered_at is null and (f.holder is not null or f.let_go_at is not null)) desc, f.created_at desc
    limit 1 for update;
  if found then
    update facade_calls f
      set holder = p_holder, held_until = at + p_lease, presence = p_presence, delivered_at = null,
        -- Of what was refused nothing was made: its answer is still to be had once.
        adoptions = f.adoptions + case
          when earlier.holder is null and earlier.let_go_at is null and earlier.delivered_at is null then 0 else 1 end
      where f.id = earlier.id;
    return query select 'adopted', earlier.id, earlier.request;
    return;
  end if;
  -- The shared lock is had at once where the session of its process is gone, and given back with this transaction.
  if not p_give_up and exists (
    select from facade_calls f
      where f.account_id = p_account_id and f.fingerprint = p_fingerprint and f.held_until >= at
        and f.created_at > since - interval '1 hour'
        and case when p_repeats then true else pg_try_advisory_xact_lock_shared(f.presence) end
  ) then
    return query select 'held', null::text, null::jsonb;
    return;
  end if;
  insert into facade_calls (id, account_id, fingerprint, request, created_at, holder, held_until, presence)
    values (p_id, p_account_id, p_fingerprint, p_request, at, p_holder, at + p_lease, p_presence);
  return query select 'new', p_id, p_request;
end
$$;
