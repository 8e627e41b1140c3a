-- By which name an engine knows a submission's job, so that no job is given to two. Null until it is known, and of submissions from
-- before: jobs are looked for within minutes.
-- release: 2

alter table submissions add column engine_job text;
