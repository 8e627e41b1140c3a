-- What is under way, by its age: a condition more, which is always true and which only the readers of this index make.
-- The statistics of a large table see nothing that is under way, and every statement for one render or one account
-- was planned over renders_overdue, which has everybody's.
-- release: 2
-- transaction: none
create index concurrently renders_by_age on renders (accepted_at)
  where status in ('queued', 'running') and accepted_at > '-infinity';
