-- The table refers to accounts: made together with its rows, it would let nobody write an account until the last of them is there.
-- step: in a transaction
create table if not exists account_events (
  account_id text not null references accounts on delete cascade,
  seq bigint not null generated always as identity,
  id text not null,
  type text not null
    check (type in ('generation.created', 'generation.running', 'generation.succeeded', 'generation.failed',
                    'generation.canceled', 'upload.ready', 'upload.rejected')),
  subject_id text not null,
  created_at timestamptz not null,
  primary key (account_id, seq)
);
create index if not exists account_events_by_id on account_events (id);
create index if not exists account_events_by_time on account_events using brin (created_at);

-- step: in a transaction
insert into account_events (account_id, id, type, subject_id, created_at)
  select account_id, id, type, subject_id, created_at from events
   where type <> 'ping' and created_at > clock() - interval '7 days' and not exists (select from account_events)
   order by created_at, id;
