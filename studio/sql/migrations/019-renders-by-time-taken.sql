-- How long renders took: the last fifty of a model, a kind and a number of outputs say when the next one will be done.
-- release: 2
-- transaction: none
create index concurrently renders_taken on renders (model, kind, expected_outputs, completed_at desc) where status = 'succeeded';
