-- A draft that is made of another while that one's sample is rendered has the sample too, as long as both make the same: the
-- oldest version that makes what this one makes. Null: it is that one itself.
-- release: 2

alter table model_versions add column same_as integer;
