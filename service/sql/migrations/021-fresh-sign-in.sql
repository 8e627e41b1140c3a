-- When the person of a session last proved who they are, as the studio says it: what changes prices and secrets asks for a
-- recent moment. Null: the studio did not say, and no such thing can be done in that session.
-- release: 2
alter table sessions add column authenticated_at timestamptz;
