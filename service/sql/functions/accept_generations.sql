-- Decides each create. Returns for each, by its 1-based place in p_creates, an outcome:
--   accepted              body is the text of the 202
--   replay                body is the text of the 202 that the same request got before
--   conflict              the Idempotency-Key was used for another request
--   unauthorized          the key was revoked or expired meanwhile, or the account is gone
--   budget_exceeded       amount is the rest of the key's budget today
--   insufficient_credits  amount is what the account can spend
--   short                 the same, but the charge of some submits is unknown: ask the studio, then try again
--   upload_gone           an upload that the create names was rejected or removed meanwhile
--   queue_full            p_queue_cap generations of the account are waiting
-- `checkMaxCost` in `service/src/budgets/budget.ts` checks `X-Renderkit-Max-Credits` before.
create or replace function accept_generations(
  p_creates json,
  -- The text of the 202 after `created_at`.
  p_body_end text,
  p_queue_cap integer
) returns table (ordinal integer, outcome text, body text, amount bigint)
language plpgsql volatile
set enable_seqscan = off
as $$
declare
  at constant timestamptz := clock();
  creates generation_create[];
  outcomes text[] := '{}';
  bodies text[] := '{}';
  amounts bigint[] := '{}';
  taken integer[] := '{}';
  -- Per account, in the order of their ids.
  account_ids text[];
  spendable bigint[];
  waiting integer[];
  unconfirmed boolean[];
  -- Per key.
  key_ids text[];
  usable boolean[];
  budgets bigint[];
  committed bigint[];
  -- Per create: the earlier generation under its Idempotency-Key.
  same_request boolean[];
  earlier_bodies text[];
  -- Per create, if any create names uploads.
  upload_lost boolean[];
  one generation_create;
  a integer;
  k integer;
begin
  creates := array(select c from json_populate_recordset(null::generation_create, p_creates) as c);
  perform 1 from accounts
    where id in (select account_id from unnest(creates)) order by id for no key update;

  select b.account_ids, b.spendable, b.waiting, b.unconfirmed
    into account_ids, spendable, waiting, unconfirmed from spendable_balances(creates) as b;

  select array_agg(key.id),
         array_agg(key.revoked_at is null and (key.expires_at is null or key.expires_at > at)),
         array_agg(key.daily_budget_millicredits),
         array_agg(coalesce(today.committed_millicredits, 0))
    into key_ids, usable, budgets, committed
    from (select distinct key_id from unnest(creates)) asked
    join api_keys key on key.id = asked.key_id
    left join committed_today() today on today.key_id = key.id;

  if exists (select from unnest(creates) c where c.idempotency_key is not null) then
    select e.same_request, e.bodies into same_request, earlier_bodies from earlier_creates(creates) as e;
  end if;
  if exists (select from unnest(creates) c where c.uploads is not null) then
    upload_lost := names_lost_upload(creates);
  end if;

  for i in 1 .. coalesce(array_length(creates, 1), 0) loop
    one := creates[i];
    a := array_position(account_ids, one.account_id);
    k := array_position(key_ids, one.key_id);
    bodies[i] := null;
    amounts[i] := null;
    if same_request[i] then
      outcomes[i] := 'replay';
      bodies[i] := earlier_bodies[i];
    elsif not same_request[i] then
      outcomes[i] := 'conflict';
    elsif a is null or k is null or not usable[k] then
      outcomes[i] := 'unauthorized';
    elsif committed[k] + one.cost_millicredits > budgets[k] then
      outcomes[i] := 'budget_exceeded';
      amounts[i] := greatest(budgets[k] - committed[k], 0);
    elsif one.cost_millicredits > spendable[a] then
      outcomes[i] := case when unconfirmed[a] and not one.doubt_resolved then 'short' else 'insufficient_credits' end;
      amounts[i] := greatest(spendable[a], 0);
    elsif upload_lost[i] then
      outcomes[i] := 'upload_gone';
    elsif waiting[a] >= p_queue_cap then
      outcomes[i] := 'queue_full';
    else
      outcomes[i] := 'accepted';
      bodies[i] := one.body_start || iso_time(at) || p_body_end;
      taken := taken || i;
      committed[k] := committed[k] + one.cost_millicredits;
      spendable[a] := spendable[a] - one.cost_millicredits;
      waiting[a] := waiting[a] + 1;
    end if;
  end loop;

  if array_length(taken, 1) > 0 then
    perform insert_generations(array(select creates[place] from unnest(taken) as place), at, p_body_end);
  end if;

  return query select place::integer, o, b, m
    from unnest(outcomes, bodies, amounts) with ordinality as answers(o, b, m, place);
end
$$;
