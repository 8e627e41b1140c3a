-- Uploads can be deleted, and those that nothing names go after a time. Both have to know which generations name an
-- upload: from here on that is kept for uploads that were ready at the create too.
-- release: 1
-- contracts: a constraint alone, and its place is taken by a wider one.

alter table uploads drop constraint uploads_status_check;
alter table uploads
  -- deleting: seen by nobody any more, still to be removed at the studio.
  add constraint uploads_status_check
    check (status in ('receiving', 'coming', 'processing', 'ready', 'rejected', 'deleting')),
  -- Looked at then, whether a generation named it lately. What is there already has its time from now on.
  add column expires_at timestamptz not null default clock() + interval '30 days';

create index uploads_newest on uploads (account_id, created_at desc, id desc)
  where not hidden and status in ('processing', 'ready', 'rejected');
create index uploads_expiring on uploads (expires_at) where not hidden and status in ('ready', 'rejected');
create index uploads_deleting on uploads (due_at) where status = 'deleting';

insert into generation_uploads (upload_id, generation_id)
  select distinct u.id, g.id
    from generation_requests r
    join generations g on g.id = r.generation_id
   cross join lateral json_to_recordset(r.uploads::json) as named (id text)
    join uploads u on u.id = named.id and u.account_id = g.account_id
   where r.uploads is not null
  on conflict do nothing;

-- Older ones that have not ended: every reference of a request is one of its texts.
insert into generation_uploads (upload_id, generation_id)
  select distinct u.id, g.id
    from generations g
    join generation_requests r on r.generation_id = g.id and r.uploads is null
   cross join lateral regexp_matches(r.render_request, '"(upl_[0-9a-z]{26})"', 'g') as named
    join uploads u on u.id = named[1] and u.account_id = g.account_id
   where g.status in ('queued', 'running')
  on conflict do nothing;
