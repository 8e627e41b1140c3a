-- Returns what the accounts of these creates can spend, in arrays by the order of the accounts' ids. Accounts that are
-- gone are left out. `unconfirmed`: the charge of some submits is unknown. The caller holds the accounts' locks.
-- `service/src/credits/store.ts` has the same conditions for the balance and the estimate: a change belongs in both.
create or replace function spendable_balances(
  p_creates generation_create[],
  out account_ids text[], out spendable bigint[], out waiting integer[], out unconfirmed boolean[]
)
language plpgsql stable
set enable_seqscan = off
as $$
begin
  -- The newest balance counts: the stored one, or one that came with the quotes.
  with asked as (
    select distinct on (account_id) account_id, ledger_seq,
           monthly_millicredits + lifetime_millicredits as balance
      from unnest(p_creates) order by account_id, ledger_seq desc
  ), known as (
    select acc.id, acc.queued_image + acc.queued_edit + acc.queued_video as waits,
           acc.uncharged_millicredits as uncharged,
           greatest(asked.ledger_seq, acc.balance_ledger_seq) as seq,
           case when asked.ledger_seq > acc.balance_ledger_seq then asked.balance
                else acc.balance_monthly_millicredits + acc.balance_lifetime_millicredits end as balance
      from asked join accounts acc on acc.id = asked.account_id
     where acc.deleted_at is null
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
    into account_ids, spendable, waiting, unconfirmed
    from known;
end
$$;
