-- Finds the earlier request that a create of a facade repeats and gives it to the new holder. Otherwise stores the
-- create as a new request (decisions 0038 and 0062). Outcomes:
--   new      no equal request waits for its client
--   adopted  request and id are those of the earlier request
--   held     the lease of an earlier request is valid, but the request may be over: the client says that it repeats, or
--            the holding process is gone. Ask again in a moment: only the end of the lease releases the request.
-- The lock separates two equal simultaneous requests: the second sees the row of the first, which has a living holder.
-- `service/src/facades/facade-calls.ts` has the values of p_unsaid and p_said.
create or replace function hold_facade_call(
  p_id text,
  p_account_id text,
  p_fingerprint bytea,
  p_request jsonb,
  p_holder text,
  p_lease interval,
  -- The key of the advisory lock that shows that the process lives; null where it holds none.
  p_presence bigint,
  -- The client says that it repeats.
  p_repeats boolean,
  -- Without p_repeats, a request counts as a repetition only within p_unsaid; with it, within p_said. Both times run
  -- from the last moment at which a client waited for the earlier request.
  p_unsaid interval,
  p_said interval,
  -- The caller has waited long enough for the first exchange.
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
  -- Read after the wait for the lock.
  at := clock();
  since := at - case when p_repeats then p_said else p_unsaid end;
  -- Requests whose client was lost come first, then the newest: a request that was refused after another one was
  -- answered is the one that is repeated.
  select * into earlier from facade_calls f
    where f.account_id = p_account_id and f.fingerprint = p_fingerprint
      -- The longest HOLD_SECONDS. This condition keeps the search short if an account asks for the same all day.
      and f.created_at > since - interval '1 hour'
      and greatest(f.created_at, f.held_until, f.let_go_at, f.delivered_at) > since
      and (f.holder is null or f.held_until < at)
      and case
        -- Refused, and the client was told to ask again: nothing was made. A client that does not say that it repeats
        -- is another one.
        when f.holder is null and f.let_go_at is null and f.delivered_at is null
          then p_repeats and f.created_at > at - p_unsaid
        when f.delivered_at is null then true
        -- A proxy received the answer, and its client only notices minutes later, at its own time-out.
        else p_repeats and f.adoptions = 0
      end
    order by (f.delivered_at is null and (f.holder is not null or f.let_go_at is not null)) desc, f.created_at desc
    limit 1 for update;
  if found then
    update facade_calls f
      set holder = p_holder, held_until = at + p_lease, presence = p_presence, delivered_at = null,
        -- Nothing was made of a refused request, so its answer can still be delivered once.
        adoptions = f.adoptions + case
          when earlier.holder is null and earlier.let_go_at is null and earlier.delivered_at is null then 0 else 1 end
      where f.id = earlier.id;
    return query select 'adopted', earlier.id, earlier.request;
    return;
  end if;
  -- The shared lock succeeds at once if the session of the process is gone. This transaction releases the lock at its
  -- end.
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
