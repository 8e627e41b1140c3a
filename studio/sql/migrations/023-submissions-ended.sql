-- How long jobs took at a backend lately is read from the newest that ended well there.
-- release: 2
-- transaction: none
create index concurrently submissions_ended on submissions (backend, ended_at desc) where state = 'done';
