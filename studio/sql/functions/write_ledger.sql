-- Writes one ledger row and the balance after it. The caller must hold the account's row lock.
create or replace function write_ledger(account text, entry_kind text, entry_bucket text, amount bigint, entry_token text)
returns bigint language plpgsql as $$
declare
  entry_seq bigint;
  balance bigint;
begin
  update accounts set ledger_seq = ledger_seq + 1,
    monthly_millicredits = monthly_millicredits + case entry_bucket when 'monthly' then amount else 0 end,
    lifetime_millicredits = lifetime_millicredits + case entry_bucket when 'lifetime' then amount else 0 end
  where id = account
  returning ledger_seq, case entry_bucket when 'monthly' then monthly_millicredits else lifetime_millicredits end
  into strict entry_seq, balance;
  insert into ledger (account_id, seq, kind, bucket, amount_millicredits, balance_after_millicredits, token)
  values (account, entry_seq, entry_kind, entry_bucket, amount, balance, entry_token);
  return entry_seq;
end $$;
