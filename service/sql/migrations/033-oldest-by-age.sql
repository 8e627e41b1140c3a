-- What waits longest, for its age alone: a condition more, which is always true of what waits and which no other statement
-- makes, so that none takes this index. The statistics of a large table see nothing that waits, and an account's claim was
-- planned over generations_oldest_waiting, which has everybody's.
-- release: 2
-- transaction: none
create index concurrently generations_by_age on generations (created_at) where status = 'queued' and completed_at is null;
