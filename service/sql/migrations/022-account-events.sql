-- The events of each account in the order in which they were committed, for whoever reads them as a stream
-- (docs/api.md §6). `seq` is drawn under the lock of the account's row, which is held until the commit: whoever has seen
-- one of an account's numbers has seen, or can see, all the smaller ones. What is told of by webhooks too has its body in
-- `events`; the others are told from the generation, of which nothing that they show changes afterwards.
-- release: 2

create table account_events (
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
create index account_events_by_id on account_events (id);
create index account_events_by_time on account_events using brin (created_at);

insert into account_events (account_id, id, type, subject_id, created_at)
  select account_id, id, type, subject_id, created_at from events
   where type <> 'ping' and created_at > clock() - interval '7 days' order by created_at, id;
