-- Workers look each second for renders that the release before accepted. Without this each look read all that wait.
-- release: 2
-- transaction: none
create index concurrently renders_untagged on renders (accepted_at) where tag is null and status in ('queued', 'running');
