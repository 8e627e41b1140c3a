-- Creates that name uploads: the function of 003-accept.sql anew. What is not ready yet is waited for: the generation is
-- blocked, and others pass it. Creates that name none cost no more than before.

-- JSON as text: [{id, url}], url where it is to be fetched for this generation.
alter type generation_create add attribute uploads text;

-- Answers each create, by its place in p_creates from 1, with an outcome:
--   accepted              body is the text of the 202
--   replay                body is the text of the 202 that the same request got before
--   conflict              the Idempotency-Key was used for another request
--   unauthorized          the key was revoked or expired meanwhile, or the account is gone
--   budget_exceeded       amount is what is left of the key's budget today
--   insufficient_credits  amount is what can be spent
--   short                 the same, but submits are under way whose charge is not known: ask the studio, try again
--   upload_gone           an upload that it names was rejected or removed meanwhile
--   queue_full            the account has p_queue_cap generations waiting
create or replace function accept_generations(
  p_creates json,
  -- The text of the 202 after its created_at.
  p_body_end text,
  p_queue_cap integer
) returns table (ordinal integer, outcome text, body text, amount bigint)
language plpgsql volatile
set enable_seqscan = off
as $$
declare
  at constant timestamptz := clock();
  today constant date := (at at time zone 'UTC')::date;
  at_text constant text := to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  creates generation_create[];
  outcomes text[] := '{}';
  bodies text[] := '{}';
  amounts bigint[] := '{}';
  taken integer[] := '{}';
  -- Accounts, in the order of their ids.
  account_ids text[];
  spendable bigint[];
  waiting integer[];
  in_doubt boolean[];
  -- Keys.
  key_ids text[];
  usable boolean[];
  budgets bigint[];
  committed bigint[];
  -- Per create: the earlier generation under its Idempotency-Key.
  same_request boolean[];
  earlier_bodies text[];
  -- Per create, where any names uploads.
  naming boolean;
  spoiled boolean[];
  one generation_create;
  a integer;
  k integer;
begin
  creates := array(select c from json_populate_recordset(null::generation_create, p_creates) as c);
  perform 1 from accounts
    where id in (select account_id from unnest(creates)) order by id for no key update;

  -- Of the balance at hand and those that came with the quotes the newest holds.
  with asked as (
    select distinct on (account_id) account_id, ledger_seq,
           monthly_millicredits + lifetime_millicredits as balance
      from unnest(creates) order by account_id, ledger_seq desc
  ), known as (
    select acc.id, acc.deleted_at is not null as gone, acc.queued_image + acc.queued_edit + acc.queued_video as waits,
           acc.uncharged_millicredits as uncharged,
           greatest(asked.ledger_seq, acc.balance_ledger_seq) as seq,
           case when asked.ledger_seq > acc.balance_ledger_seq then asked.balance
                else acc.balance_monthly_millicredits + acc.balance_lifetime_millicredits end as balance
      from asked join accounts acc on acc.id = asked.account_id
  )
  select array_agg(known.id order by known.id),
         array_agg(known.balance - known.uncharged - (
             select coalesce(sum(g.cost_millicredits), 0)::bigint from generations g
              where g.account_id = known.id and g.charge_ledger_seq > known.seq
                and g.status in ('running', 'succeeded')) order by known.id),
         array_agg(known.waits order by known.id),
         array_agg(exists (
             select from generations g
              where g.account_id = known.id and g.submit_sent_at is not null and g.charge_ledger_seq is null
                and g.status = 'queued') order by known.id)
    into account_ids, spendable, waiting, in_doubt
    from known where not known.gone;

  select array_agg(key.id),
         array_agg(key.revoked_at is null and (key.expires_at is null or key.expires_at > at)),
         array_agg(key.daily_budget_millicredits),
         array_agg(coalesce(day.committed_millicredits, 0))
    into key_ids, usable, budgets, committed
    from (select distinct key_id from unnest(creates)) asked
    join api_keys key on key.id = asked.key_id
    left join budget_days day on day.key_id = key.id and day.day = today;

  if exists (select from unnest(creates) c where c.idempotency_key is not null) then
    select array_agg(g.fingerprint = decode(c.fingerprint, 'hex') order by c.place),
           array_agg(r.accepted_body order by c.place)
      into same_request, earlier_bodies
      from unnest(creates) with ordinality as c(
             id, account_id, key_id, kind, lane, model, project_id, cost_millicredits, expected_outputs, metadata,
             idempotency_key, fingerprint, render_request, quote, body_start, monthly_millicredits,
             lifetime_millicredits, ledger_seq, doubt_resolved, uploads, place)
      left join generations g on g.account_id = c.account_id and g.idempotency_key = c.idempotency_key
      left join generation_requests r on r.generation_id = g.id;
  end if;

  -- What becomes of an upload is decided under the account's lock too: what stands here stands until the commit.
  naming := exists (select from unnest(creates) c where c.uploads is not null);
  if naming then
    spoiled := array(
      select exists (
               select from json_to_recordset(c.uploads::json) as named (id text, url text)
                where named.url is null and not exists (
                  select from uploads u where u.id = named.id and u.account_id = c.account_id
                                          and u.status in ('processing', 'ready')))
        from unnest(creates) with ordinality as c(
               id, account_id, key_id, kind, lane, model, project_id, cost_millicredits, expected_outputs, metadata,
               idempotency_key, fingerprint, render_request, quote, body_start, monthly_millicredits,
               lifetime_millicredits, ledger_seq, doubt_resolved, uploads, place)
       order by c.place);
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
      outcomes[i] := case when in_doubt[a] and not one.doubt_resolved then 'short' else 'insufficient_credits' end;
      amounts[i] := greatest(spendable[a], 0);
    elsif spoiled[i] then
      outcomes[i] := 'upload_gone';
    elsif waiting[a] >= p_queue_cap then
      outcomes[i] := 'queue_full';
    else
      outcomes[i] := 'accepted';
      bodies[i] := one.body_start || at_text || p_body_end;
      taken := taken || i;
      committed[k] := committed[k] + one.cost_millicredits;
      spendable[a] := spendable[a] - one.cost_millicredits;
      waiting[a] := waiting[a] + 1;
    end if;
  end loop;

  if array_length(taken, 1) > 0 then
    creates := array(select creates[place] from unnest(taken) as place);
    with sums as (
      select account_id, sum(cost_millicredits)::bigint as cost,
             count(*) filter (where lane = 'image') as image,
             count(*) filter (where lane = 'edit') as edit,
             count(*) filter (where lane = 'video') as video
        from unnest(creates) group by account_id
    ), newest as (
      select distinct on (account_id) account_id, ledger_seq, monthly_millicredits, lifetime_millicredits
        from unnest(creates) order by account_id, ledger_seq desc
    )
    update accounts acc
       set uncharged_millicredits = acc.uncharged_millicredits + sums.cost,
           queued_image = acc.queued_image + sums.image,
           queued_edit = acc.queued_edit + sums.edit,
           queued_video = acc.queued_video + sums.video,
           balance_monthly_millicredits = case when newest.ledger_seq > acc.balance_ledger_seq
             then newest.monthly_millicredits else acc.balance_monthly_millicredits end,
           balance_lifetime_millicredits = case when newest.ledger_seq > acc.balance_ledger_seq
             then newest.lifetime_millicredits else acc.balance_lifetime_millicredits end,
           balance_ledger_seq = greatest(newest.ledger_seq, acc.balance_ledger_seq)
      from sums join newest using (account_id)
     where acc.id = sums.account_id;

    insert into budget_days as day (key_id, day, committed_millicredits)
      select key_id, today, sum(cost_millicredits) from unnest(creates) group by key_id
      on conflict (key_id, day)
        do update set committed_millicredits = day.committed_millicredits + excluded.committed_millicredits;

    insert into generations (id, account_id, key_id, kind, lane, status, model, project_id, cost_millicredits,
                             expected_outputs, metadata, created_at, budget_day, idempotency_key, fingerprint)
      select c.id, c.account_id, c.key_id, c.kind, c.lane, 'queued', c.model, c.project_id, c.cost_millicredits,
             c.expected_outputs, c.metadata, at, today, c.idempotency_key, decode(c.fingerprint, 'hex')
        from unnest(creates) c;

    -- Without an Idempotency-Key nobody can ask for the same 202 again.
    insert into generation_requests (generation_id, render_request, quote, accepted_body)
      select c.id, c.render_request, c.quote,
             case when c.idempotency_key is not null then c.body_start || at_text || p_body_end end
        from unnest(creates) c;

    if naming then
      insert into uploads (id, account_id, status, hidden, source_url)
        select distinct named.id, c.account_id, 'coming', true, named.url
          from unnest(creates) c
         cross join lateral json_to_recordset(c.uploads::json) as named (id text, url text)
         where named.url is not null;
      insert into generation_uploads (upload_id, generation_id)
        select distinct u.id, c.id
          from unnest(creates) c
         cross join lateral json_to_recordset(c.uploads::json) as named (id text, url text)
          join uploads u on u.id = named.id and u.account_id = c.account_id
         where u.hidden or u.status <> 'ready';
      update generations g set blocked = true
        from unnest(creates) c
       where g.id = c.id and c.uploads is not null and exists (
         select from generation_uploads n join uploads u on u.id = n.upload_id
          where n.generation_id = c.id and u.status <> 'ready');
    end if;
  end if;

  return query select place::integer, o, b, m
    from unnest(outcomes, bodies, amounts) with ordinality as answers(o, b, m, place);
end
$$;
