-- Renders that the installation asks for itself: a sample shows that a model works before it is offered, and how long it
-- takes. They belong to an account that nobody has. It counts as deleted and erased from the start, so that no list holds
-- it, nobody signs in to it, and no plan is in force for it.
-- release: 2
alter table renders
  -- Null: an account's own. `own`: by routes that cost nothing; `paid`: by those of paid providers too.
  add column sample text check (sample in ('own', 'paid'));

insert into accounts (id, tier, allowance_millicredits, refill_anchor, last_refill_at, next_refill_at, limit_image,
  limit_edit, limit_video, limit_overall, limit_storage_bytes, deleted_at, erased_at)
values ('acc_installation', 'installation', 0, clock(), clock(), clock(), 0, 0, 0, 0, 0, clock(), clock());
