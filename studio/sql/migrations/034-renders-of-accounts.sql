-- What of an account is under way, with another condition that its readers alone make.
-- release: 2
-- transaction: none
create index concurrently renders_of_accounts on renders (account_id, lane)
  where status in ('queued', 'running') and completed_at is null;
