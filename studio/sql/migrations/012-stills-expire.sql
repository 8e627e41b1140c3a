-- A still that nobody saves is a file all the same: it goes some time after it was last asked for.
-- release: 1

alter table frames add column kept_until timestamptz not null default clock() + interval '2 days';
create index frames_expiry on frames (kept_until);
