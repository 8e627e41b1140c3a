-- Pauses published models that nothing can make now, and ends the pause of those that something can make again. Returns
-- how many changed. If any did, every process reads the catalog again. The workers call it
-- (`studio/src/backends/start-backend-health.ts`), and `studio/src/renders/create-quotes.ts` refuses renders of a
-- paused model.
create or replace function pause_models() returns integer language plpgsql as $$
declare
  changed integer;
begin
  -- Usually nothing changes, and then the lock on what is published is not needed.
  if not exists (select from models where published_version is not null
    and paused_reason is distinct from pause_reason(id, published_version)) then
    return 0;
  end if;
  perform from catalog_revision for update;
  update models m set paused_reason = n.reason,
    paused_since = case when n.reason is null then null else coalesce(m.paused_since, clock()) end
  from (select id, pause_reason(id, published_version) as reason from models where published_version is not null) n
  where m.id = n.id and m.paused_reason is distinct from n.reason;
  get diagnostics changed = row_count;
  if changed > 0 then update catalog_revision set revision = revision + 1; end if;
  return changed;
end $$;
