-- A version keeps what an import found in its workflow, with how sure that is, and its notes: drafts made of it, and a page
-- that is opened later, show the same guesses. Null: it came as a manifest.
-- release: 2

alter table model_versions add column imported jsonb;
