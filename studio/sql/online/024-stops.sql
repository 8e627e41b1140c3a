-- A check that comes with its column reads the whole table while nobody else may, and so does an index that is built in a transaction.
-- step: in a transaction
alter table renders
  add column if not exists stop_requested_at timestamptz,
  add column if not exists stop_refund text;
alter table renders drop constraint if exists renders_stop_refund_check;
alter table renders add constraint renders_stop_refund_check check (stop_refund in ('none', 'full')) not valid;

-- step: outside of transactions
alter table renders validate constraint renders_stop_refund_check;

-- step: outside of transactions
create index concurrently if not exists renders_to_stop on renders (id)
  where stop_requested_at is not null and status in ('queued', 'running');
