-- What an account stores is counted and has a limit. The triggers keep the counters in the transaction of whatever adds
-- or removes a row, so that no path can forget it. What is there already is counted below, under locks that keep new rows
-- out. Thumbnails are the studio's own and not counted.
-- release: 1

alter table accounts
  -- Files of uploads that were not rejected, hidden ones included.
  add column uploads_bytes bigint not null default 0 check (uploads_bytes >= 0),
  -- Items of the library and stills that were taken of its videos.
  add column outputs_bytes bigint not null default 0 check (outputs_bytes >= 0),
  -- The plan's.
  add column limit_storage_bytes bigint not null default 2147483648 check (limit_storage_bytes >= 0),
  -- The operator's, instead of the plan's.
  add column storage_override_bytes bigint check (storage_override_bytes >= 0);

update accounts set limit_storage_bytes = case tier
  when 'plus' then 53687091200 when 'pro' then 268435456000 else 2147483648 end;

-- A file on its way has its bytes reserved by the row that announces its folder: whatever removes that row, the sweep
-- after a crash too, gives them back.
alter table loose_folders
  add column account_id text,
  add column reserved_bytes bigint not null default 0 check (reserved_bytes >= 0);
create index loose_folders_reserved on loose_folders (account_id) where account_id is not null;

create function count_uploads() returns trigger language plpgsql as $$
begin
  update accounts a set uploads_bytes = a.uploads_bytes + c.bytes
    from (select account_id, sum(case tg_op when 'DELETE' then -size_bytes else size_bytes end) as bytes
            from changed where status <> 'rejected' group by account_id) c
   -- An array, so that the rows are looked up however many the planner believes there are.
   where a.id = c.account_id and a.id = any(array(select account_id from changed));
  return null;
end $$;
create trigger uploads_count_added after insert on uploads
  referencing new table as changed for each statement execute function count_uploads();
create trigger uploads_count_removed after delete on uploads
  referencing old table as changed for each statement execute function count_uploads();

-- The file of a rejected upload goes at once.
create function discount_upload() returns trigger language plpgsql as $$
begin
  update accounts set uploads_bytes = uploads_bytes - new.size_bytes where id = new.account_id;
  return null;
end $$;
create trigger uploads_count_rejected after update of status on uploads for each row
  when (new.status = 'rejected' and old.status <> 'rejected') execute function discount_upload();

create function count_assets() returns trigger language plpgsql as $$
begin
  update accounts a set outputs_bytes = a.outputs_bytes + c.bytes
    from (select account_id, sum(case tg_op when 'DELETE' then -size_bytes else size_bytes end) as bytes
            from changed group by account_id) c
   where a.id = c.account_id and a.id = any(array(select account_id from changed));
  return null;
end $$;
create trigger assets_count_added after insert on assets
  referencing new table as changed for each statement execute function count_assets();
create trigger assets_count_removed after delete on assets
  referencing old table as changed for each statement execute function count_assets();

create function count_frames() returns trigger language plpgsql as $$
begin
  -- A still never outlives its video's row.
  update accounts a set outputs_bytes = a.outputs_bytes + c.bytes
    from (select v.account_id, sum(case tg_op when 'DELETE' then -f.size_bytes else f.size_bytes end) as bytes
            from changed f join assets v on v.id = f.video_id
           where v.id = any(array(select video_id from changed)) group by v.account_id) c
   where a.id = c.account_id and a.id = any(array(
     select account_id from assets where id = any(array(select video_id from changed))));
  return null;
end $$;
create trigger frames_count_added after insert on frames
  referencing new table as changed for each statement execute function count_frames();
create trigger frames_count_removed after delete on frames
  referencing old table as changed for each statement execute function count_frames();

update accounts a set
  uploads_bytes = coalesce((select sum(u.size_bytes) from uploads u
    where u.account_id = a.id and u.status <> 'rejected'), 0),
  outputs_bytes = coalesce((select sum(i.size_bytes) from assets i where i.account_id = a.id), 0)
    + coalesce((select sum(f.size_bytes) from frames f join assets v on v.id = f.video_id
        where v.account_id = a.id), 0);
