-- A check that comes with its column reads the whole table while nobody else may.
-- step: in a transaction
alter table renders add column if not exists sample text;
alter table renders drop constraint if exists renders_sample_check;
alter table renders add constraint renders_sample_check check (sample in ('own', 'paid')) not valid;

-- step: outside of transactions
alter table renders validate constraint renders_sample_check;

-- step: in a transaction
insert into accounts (id, tier, allowance_millicredits, refill_anchor, last_refill_at, next_refill_at, limit_image,
  limit_edit, limit_video, limit_overall, limit_storage_bytes, deleted_at, erased_at)
values ('acc_installation', 'installation', 0, clock(), clock(), clock(), 0, 0, 0, 0, 0, clock(), clock());
