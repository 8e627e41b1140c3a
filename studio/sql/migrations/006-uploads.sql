-- Files that people bring along. The bytes lie in the storage before a row names them, and are removed after no row
-- does: what lies there between the two is written down first, so that no crash leaves a file that nobody knows of.
create table loose_folders (
  folder text primary key,
  -- No sooner: whoever is about to name the folder has until then.
  remove_after timestamptz not null,
  -- Too late to name it: its files are being removed.
  removing boolean not null default false
);
create index loose_folders_due on loose_folders (remove_after);

create table uploads (
  id text primary key,
  account_id text not null references accounts,
  -- The client's own name for it.
  token text not null,
  project_id text,
  type text not null check (type in ('image', 'video', 'audio')),
  status text not null default 'processing' check (status in ('processing', 'ready', 'rejected')),
  -- Kept out of what people see.
  hidden boolean not null,
  file_name text not null,
  storage_key text not null,
  content_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  -- Pixels, as a viewer shows it.
  width integer,
  height integer,
  duration double precision,
  has_audio boolean not null,
  error text,
  created_at timestamptz not null default clock(),
  settled_at timestamptz,
  unique (account_id, token)
);
create index uploads_processing on uploads (created_at) where status = 'processing';
create index uploads_of_project on uploads (project_id) where project_id is not null;

-- Tokens that were deleted lately: a file that is still on its way under one of them comes too late.
create table deleted_uploads (
  account_id text not null references accounts,
  token text not null,
  deleted_at timestamptz not null default clock(),
  primary key (account_id, token)
);
create index deleted_uploads_age on deleted_uploads (deleted_at);

alter table changes add column upload json;

drop function record_change(text, text, text, json);
create function record_change(account text, change_type text, change_token text, render json, upload json default null)
returns bigint language plpgsql as $$
declare
  change_number bigint;
begin
  update accounts set change_seq = change_seq + 1 where id = account returning change_seq into strict change_number;
  insert into changes (account_id, seq, type, token, render, upload)
  values (account, change_number, change_type, change_token, render, upload);
  return change_number;
end $$;

-- An upload as the contract shows it, but for the link, which lacks the studio's public address in front.
create function upload_json(u uploads) returns json language sql stable as $$
  select json_build_object(
    'token', u.token, 'type', u.type, 'status', u.status, 'url', u.storage_key, 'file_name', u.file_name,
    'content_type', u.content_type, 'size_bytes', u.size_bytes, 'width', u.width, 'height', u.height,
    'duration_seconds', u.duration, 'project_id', u.project_id, 'error', u.error,
    'created_at', iso_time(u.created_at))
$$;

-- The outcome of an upload's check and the word to the account's readers, in one. The first outcome stands: no row
-- where there has been one.
create function settle_upload(upload text, end_status text, end_error text) returns setof uploads
language plpgsql as $$
declare
  u uploads;
begin
  select * into u from uploads where id = upload;
  if not found then return; end if;
  perform 1 from accounts where id = u.account_id for update;
  update uploads set status = end_status, error = end_error, settled_at = greatest(clock(), created_at)
  where id = upload and status = 'processing' returning * into u;
  if not found then return; end if;
  perform record_change(u.account_id, 'upload', u.token, null, upload_json(u));
  return next u;
end $$;

-- After this the token names nothing and never will. Answers the folder of its file, which is then loose.
create function delete_upload(account text, upload_token text) returns text language plpgsql as $$
declare
  folder_of_file text;
begin
  perform 1 from accounts where id = account for update;
  insert into deleted_uploads (account_id, token) values (account, upload_token)
    on conflict (account_id, token) do update set deleted_at = clock();
  delete from uploads where account_id = account and token = upload_token
    returning split_part(storage_key, '/', 1) into folder_of_file;
  if folder_of_file is not null then
    insert into loose_folders (folder, remove_after) values (folder_of_file, clock())
      on conflict (folder) do update set remove_after = clock();
  end if;
  return folder_of_file;
end $$;
