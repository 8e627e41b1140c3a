-- An account's row is also the lock under which its money, its renders and its feed change; what those
-- changes need to know (balances, counters) therefore stands in the row itself.
create table accounts (
  id text primary key,
  -- Null once the account is deleted: the row stays for the ledger, without a name.
  email text,
  name text,
  username text,
  password_hash text,
  tier text not null check (tier in ('free', 'plus', 'pro')),
  organization boolean not null default false,
  age_verified boolean not null default false,
  email_verified boolean not null default true,
  suspended boolean not null default false,
  region_blocked boolean not null default false,
  monthly_millicredits bigint not null default 0 check (monthly_millicredits >= 0),
  lifetime_millicredits bigint not null default 0 check (lifetime_millicredits >= 0),
  -- The plan's monthly credits, kept here so that the refill needs no word from outside.
  allowance_millicredits bigint not null check (allowance_millicredits >= 0),
  -- The renewal falls on this moment's day of the month (the last day of shorter months).
  refill_anchor timestamptz not null,
  last_refill_at timestamptz not null,
  next_refill_at timestamptz not null,
  ledger_seq bigint not null default 0,
  change_seq bigint not null default 0,
  -- Changes up to this number have been cleaned away.
  change_floor bigint not null default 0,
  limit_image integer not null,
  limit_edit integer not null,
  limit_video integer not null,
  limit_overall integer not null,
  -- Raised when a style of its own comes or goes: part of the catalog's version for this account.
  styles_version integer not null default 0,
  -- Set by the operator: how the next quote of this account goes wrong, once.
  next_fault text check (next_fault in ('nonsense', 'rate', 'concurrency', 'silence')),
  created_at timestamptz not null default clock(),
  deleted_at timestamptz,
  erased_at timestamptz
);
create unique index accounts_email on accounts (lower(email)) where email is not null;
create index accounts_refill on accounts (next_refill_at) where deleted_at is null;
create index accounts_to_erase on accounts (deleted_at) where deleted_at is not null and erased_at is null;

-- Every movement of credits, for ever. Amounts are signed, so that a bucket's balance is the sum of its rows.
create table ledger (
  account_id text not null references accounts,
  seq bigint not null,
  kind text not null check (kind in ('opening', 'grant', 'charge', 'refund', 'adjustment', 'expiry')),
  bucket text not null check (bucket in ('monthly', 'lifetime')),
  amount_millicredits bigint not null,
  balance_after_millicredits bigint not null check (balance_after_millicredits >= 0),
  -- The render's token, for charges and refunds.
  token text,
  created_at timestamptz not null default clock(),
  primary key (account_id, seq),
  check (case kind
    when 'charge' then amount_millicredits < 0 when 'expiry' then amount_millicredits < 0
    when 'refund' then amount_millicredits > 0 when 'adjustment' then true
    else amount_millicredits >= 0 end),
  check ((token is not null) = (kind in ('charge', 'refund')))
);
create unique index ledger_one_charge on ledger (account_id, token, bucket) where kind = 'charge';
create unique index ledger_one_refund on ledger (account_id, token, bucket) where kind = 'refund';

create function refuse_change() returns trigger language plpgsql as
$$ begin raise exception 'rows of % are never changed', tg_table_name; end $$;
create trigger ledger_is_append_only before update or delete on ledger
  for each row execute function refuse_change();

-- The first renewal after a moment. Counted from the anchor each time: adding months to a clamped date would
-- lose the 31st for good.
create function next_refill(anchor timestamptz, after timestamptz) returns timestamptz language sql immutable as $$
  select min(moment) from (
    select (anchor at time zone 'UTC' + interval '1 month' * n) at time zone 'UTC' as moment
    from generate_series(
      (extract(year from after at time zone 'UTC') - extract(year from anchor at time zone 'UTC'))::integer * 12
        + (extract(month from after at time zone 'UTC') - extract(month from anchor at time zone 'UTC'))::integer - 1,
      (extract(year from after at time zone 'UTC') - extract(year from anchor at time zone 'UTC'))::integer * 12
        + (extract(month from after at time zone 'UTC') - extract(month from anchor at time zone 'UTC'))::integer + 1
    ) as n where n > 0
  ) as moments where moment > after
$$;

-- Writes one ledger row and the balance it leaves. The caller holds the account's row lock.
create function write_ledger(account text, entry_kind text, entry_bucket text, amount bigint, entry_token text)
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

-- Monthly credits renew and do not add up: what is left expires, the allowance is granted. Whoever moves money
-- calls this first, under the account's row lock; months that nobody looked at are one renewal.
create function refill(account text) returns boolean language plpgsql as $$
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

-- Takes the cost of a render, monthly credits first. Null when the account lacks them; else the number of the
-- charge's last entry.
create function charge(account text, charge_token text, cost bigint) returns bigint language plpgsql as $$
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

-- Gives a charge back to the buckets it came from, once. Monthly credits charged before the last renewal come
-- back as far as the allowance is not full; the rest has expired with its month, and the ledger says so.
create function refund(account text, refund_token text) returns bigint language plpgsql as $$
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
