-- Gives a charge back, once, to the buckets that it came from. Monthly credits that were charged before the last
-- renewal come back only up to the full allowance. The rest has expired with its month, and the ledger records that.
-- `refund_failed_or_stopped` decides whether a render is refunded.
create or replace function refund(account text, refund_token text) returns bigint language plpgsql as $$
declare
  a accounts;
  c record;
  seq bigint;
  excess bigint;
begin
  perform refill(account);
  for c in
    select charged.bucket, -charged.amount_millicredits as amount, charged.created_at from ledger charged
    where charged.account_id = account and charged.token = refund_token and charged.kind = 'charge'
      and not exists (select 1 from ledger given where given.account_id = account and given.token = refund_token
        and given.bucket = charged.bucket and given.kind = 'refund')
    order by charged.seq
  loop
    seq := write_ledger(account, 'refund', c.bucket, c.amount, refund_token);
    select * into strict a from accounts where id = account;
    excess := least(c.amount, a.monthly_millicredits - a.allowance_millicredits);
    if c.bucket = 'monthly' and c.created_at < a.last_refill_at and excess > 0 then
      seq := write_ledger(account, 'expiry', 'monthly', -excess, null);
    end if;
  end loop;
  return seq;
end $$;
