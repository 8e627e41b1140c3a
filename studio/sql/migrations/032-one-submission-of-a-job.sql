-- A job of an engine is one submission's. The name comes first, for a job that was found is held against all backends: two may be
-- one provider.
-- release: 2
-- transaction: none
create unique index concurrently submissions_engine_job on submissions (engine_job, backend) where engine_job is not null;
