-- Renders can be stopped. The wish is a mark on the render, with what its account's plan gave back at that moment: whatever ends
-- the render next goes by it, the worker that is told or the one that takes over from it.
-- release: 2

alter table renders
  add column stop_requested_at timestamptz,
  add column stop_refund text check (stop_refund in ('none', 'full'));

create index renders_to_stop on renders (id) where stop_requested_at is not null and status in ('queued', 'running');
