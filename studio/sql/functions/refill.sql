-- Renews monthly credits, which do not add up: the rest expires, then the allowance is granted. Every function that
-- moves money must call this first, under the account's row lock. Several missed months are one renewal. For accounts
-- that are due, `studio/src/clean.ts` starts it once a minute.
create or replace function refill(account text) returns boolean language plpgsql as $$
declare
  a accounts;
begin
  select * into strict a from accounts where id = account for update;
  if a.next_refill_at > clock() or a.deleted_at is not null then return false; end if;
  if a.monthly_millicredits > 0 then
    perform write_ledger(account, 'expiry', 'monthly', -a.monthly_millicredits, null);
  end if;
  if a.allowance_millicredits > 0 then
    perform write_ledger(account, 'grant', 'monthly', a.allowance_millicredits, null);
  end if;
  update accounts set last_refill_at = clock(), next_refill_at = next_refill(refill_anchor, clock())
  where id = account;
  return true;
end $$;
