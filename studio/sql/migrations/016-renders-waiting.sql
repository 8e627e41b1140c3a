-- What a backend's slot looks for: the renders of a kind that wait for a model's version, in the order of their turns.
-- release: 2
-- transaction: none
create index concurrently renders_waiting on renders (model, model_version, kind, tag) where status = 'queued' and tag is not null;
