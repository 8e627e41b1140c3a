-- Writes accepted creates: counters and balances of the accounts, the keys' budgets of the day, the generations with
-- their requests, and the uploads that they name. Part of accept_generations, under its locks.
create or replace function insert_generations(p_creates generation_create[], p_at timestamptz, p_body_end text)
returns void
language plpgsql volatile
set enable_seqscan = off
as $$
declare
  today constant date := (p_at at time zone 'UTC')::date;
begin
  with sums as (
    select account_id, sum(cost_millicredits)::bigint as cost,
           count(*) filter (where lane = 'image') as image,
           count(*) filter (where lane = 'edit') as edit,
           count(*) filter (where lane = 'video') as video
      from unnest(p_creates) group by account_id
  ), newest as (
    select distinct on (account_id) account_id, ledger_seq, monthly_millicredits, lifetime_millicredits
      from unnest(p_creates) order by account_id, ledger_seq desc
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
    select key_id, today, sum(cost_millicredits) from unnest(p_creates) group by key_id
    on conflict (key_id, day)
      do update set committed_millicredits = day.committed_millicredits + excluded.committed_millicredits;

  insert into generations (id, account_id, key_id, kind, lane, status, model, project_id, cost_millicredits,
                           expected_outputs, metadata, created_at, budget_day, idempotency_key, fingerprint)
    select c.id, c.account_id, c.key_id, c.kind, c.lane, 'queued', c.model, c.project_id, c.cost_millicredits,
           c.expected_outputs, c.metadata, p_at, today, c.idempotency_key, decode(c.fingerprint, 'hex')
      from unnest(p_creates) c;

  insert into account_events (account_id, id, type, subject_id, created_at)
    select c.account_id, new_event_id(p_at), 'generation.created', c.id, p_at from unnest(p_creates) c;

  -- Stores the 202 only with an Idempotency-Key; without one, no client can ask for it again.
  insert into generation_requests (generation_id, render_request, quote, accepted_body, uploads, sent_body, words)
    select c.id, c.render_request, c.quote,
           case when c.idempotency_key is not null then c.body_start || iso_time(p_at) || p_body_end end,
           c.uploads, c.sent_body, prompt_words(c.account_id, c.render_request)
      from unnest(p_creates) c;

  if exists (select from unnest(p_creates) c where c.uploads is not null) then
    perform name_uploads(p_creates);
  end if;
end
$$;
