-- Returns for each of these creates, in their order, whether it names an upload that was rejected or removed. The
-- status of an upload changes only under its account's lock, which the caller holds, so the result is valid until the
-- commit.
create or replace function names_lost_upload(p_creates generation_create[]) returns boolean[]
language plpgsql stable
set enable_seqscan = off
as $$
begin
  return array(
    select exists (
             select from json_to_recordset(c.uploads::json) as named (id text, url text)
              where named.url is null and not exists (
                select from uploads u where u.id = named.id and u.account_id = c.account_id
                                        and u.status in ('processing', 'ready')))
      from unnest(p_creates) with ordinality as c
     order by c.ordinality);
end
$$;
