-- Whether anybody renders at all: each worker process says every few seconds that it lives. After a crash of the database
-- the table is empty until they say so again, and no disk is kept waiting for it.
-- release: 1
create unlogged table workers (
  id text primary key,
  beat_at timestamptz not null
);

-- Tries that ended because a disk was full say nothing of the render: they do not count among its three.
alter table renders add column excused integer not null default 0;
