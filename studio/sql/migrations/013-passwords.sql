-- Counts the passwords that an account has had. A session names the one that it began with and is good for no other, so
-- that the statement which sets a new password ends them all, and those whose sign-in is under way at that moment.
-- release: 1
alter table accounts add column password_version integer not null default 0;

-- Links by which somebody chooses a new password without the old one. An account has one at most: a newer link takes the
-- older one's row. The row goes with its use.
create table password_resets (
  account_id text primary key references accounts,
  -- The link holds 256 random bits, and this is their SHA-256: a copy of the table opens nothing.
  token_hash text not null unique,
  created_at timestamptz not null default clock(),
  expires_at timestamptz not null
);
create index password_resets_expiry on password_resets (expires_at);

-- What was done to an account's way in, written in the transaction that did it. No entry holds a secret.
create table audit_entries (
  id text primary key,
  at timestamptz not null default clock(),
  account_id text not null references accounts,
  -- Who: the person with the password, whoever held a reset link, or the operator.
  actor text not null check (actor in ('person', 'link', 'operator')),
  action text not null,
  -- The network address it came from; null for what was done on the machine itself.
  address text
);
create index audit_entries_of_account on audit_entries (account_id, at desc, id desc);
