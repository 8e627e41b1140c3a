-- A generation can be made again: the body of its create is kept as it was sent, but for a mask that came as data, in whose place
-- stands the upload that it became; and what the studio says of how each output was made.
-- release: 2

-- JSON text. Null: created before this release.
alter table generation_requests add column sent_body text;
-- JSON text: [{id, seed, model_version, backend, seconds}], one of each output. Null: the studio does not tell.
alter table generations add column provenance text;

alter type generation_create add attribute sent_body text;
alter type generation_move add attribute provenance text;
