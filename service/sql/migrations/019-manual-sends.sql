-- Tests and resends go to addresses that nobody proved to own, whenever a person asks: so they are counted. A row is one
-- that was taken; only those of the last minute count, and the cleaner removes the others.
-- release: 1

create table manual_sends (
  id bigint generated always as identity primary key,
  account_id text not null references accounts on delete cascade,
  kind text not null check (kind in ('ping', 'resend')),
  -- No reference: what was sent to an endpoint that is deleted meanwhile still counts for its account.
  endpoint_id text not null,
  sent_at timestamptz not null
);

create index manual_sends_counted on manual_sends (account_id, kind, sent_at);
