-- Creates that came through a door for other programs' clients. None of those sends an Idempotency-Key and all of them
-- repeat what got no answer: a repeated request finds its first one here, and goes on with the generations of that one.
-- release: 2
create table facade_calls (
  -- Idempotency-Keys of its generations are made of it.
  id text primary key,
  account_id text not null references accounts on delete cascade,
  -- SHA-256 over facade, route and what was asked for, files by their own hashes.
  fingerprint bytea not null check (length(fingerprint) = 32),
  -- What is created for it, as the first request had it: ids of its uploads are those of the first too.
  request jsonb not null,
  created_at timestamptz not null,
  -- The exchange that waits for it; null once its client has gone.
  holder text,
  held_until timestamptz,
  delivered_at timestamptz,
  adoptions integer not null default 0,
  check ((holder is null) = (held_until is null))
);
create index facade_calls_of_account on facade_calls (account_id, fingerprint, created_at desc);
create index facade_calls_by_age on facade_calls (created_at);
