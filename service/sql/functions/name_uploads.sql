-- Links generations to the uploads that they name. Inserts rows for files that must still be fetched. A generation
-- stays blocked while any of its uploads is not ready. Part of insert_generations, under its locks.
-- `service/src/generations/settle/waiting-store.ts` unblocks it.
create or replace function name_uploads(p_creates generation_create[]) returns void
language plpgsql volatile
set enable_seqscan = off
as $$
begin
  insert into uploads (id, account_id, status, hidden, source_url)
    select distinct named.id, c.account_id, 'coming', true, named.url
      from unnest(p_creates) c
     cross join lateral json_to_recordset(c.uploads::json) as named (id text, url text)
     where named.url is not null;
  insert into generation_uploads (upload_id, generation_id)
    select distinct u.id, c.id
      from unnest(p_creates) c
     cross join lateral json_to_recordset(c.uploads::json) as named (id text, url text)
      join uploads u on u.id = named.id and u.account_id = c.account_id;
  update generations g set blocked = true
    from unnest(p_creates) c
   where g.id = c.id and c.uploads is not null and exists (
     select from generation_uploads n join uploads u on u.id = n.upload_id
      where n.generation_id = c.id and u.status <> 'ready');
end
$$;
