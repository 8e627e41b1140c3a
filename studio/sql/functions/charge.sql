-- Takes the cost of a render, monthly credits first. Returns the number of the charge's last entry; null if the account
-- lacks the credits. The cost is that of the quote: `priceOf` in `contract/studio/price.ts` computes it.
create or replace function charge(account text, charge_token text, cost bigint) returns bigint language plpgsql as $$
declare
  a accounts;
  from_monthly bigint;
  seq bigint;
begin
  select * into strict a from accounts where id = account for update;
  if a.monthly_millicredits + a.lifetime_millicredits < cost then return null; end if;
  seq := a.ledger_seq;
  from_monthly := least(cost, a.monthly_millicredits);
  if from_monthly > 0 then
    seq := write_ledger(account, 'charge', 'monthly', -from_monthly, charge_token);
  end if;
  if cost > from_monthly then
    seq := write_ledger(account, 'charge', 'lifetime', from_monthly - cost, charge_token);
  end if;
  return seq;
end $$;
