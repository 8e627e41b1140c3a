-- People. A person signs in at the studio; what the browser then holds is a token whose SHA-256 stands here, so that
-- a copy of the table opens nothing. What a person starts in the console is spent and counted under a key that no
-- secret belongs to: accept, budgets and lists treat it like any other, and no request can authenticate with it.

alter table api_keys
  alter column public_id drop not null,
  alter column secret_sha256 drop not null,
  add column kind text not null default 'secret' check (kind in ('secret', 'console')),
  add constraint api_keys_console_has_no_secret
    check ((kind = 'console') = (public_id is null) and (public_id is null) = (secret_sha256 is null));
create unique index api_keys_console on api_keys (account_id) where kind = 'console';

create table sessions (
  id text primary key,
  account_id text not null references accounts on delete cascade,
  token_sha256 bytea not null unique check (length(token_sha256) = 32),
  created_at timestamptz not null default clock(),
  last_seen_at timestamptz not null default clock(),
  expires_at timestamptz not null,
  user_agent text,
  address text
);
create index sessions_account on sessions (account_id, created_at desc, id desc);

-- What was done by people in the console and by the operator, written in the transaction that does it.
create table audit_entries (
  id text primary key,
  account_id text not null references accounts on delete cascade,
  at timestamptz not null default clock(),
  actor text not null check (actor in ('person', 'operator')),
  -- The person's address at that moment.
  email text,
  session_id text,
  action text not null,
  subject_id text,
  subject_name text,
  details jsonb not null default '{}' check (jsonb_typeof(details) = 'object')
);
create index audit_entries_account on audit_entries (account_id, at desc, id desc);
