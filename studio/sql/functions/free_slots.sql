-- Returns how many jobs a backend can take now: it is wanted, up, not resting after faults, and has free slots. After a
-- rest only one job runs there, until one has ended well. Null for a local engine that is on: each worker counts its
-- own slots.
create or replace function free_slots(b backends) returns integer language sql stable as $$
  select case
    when b.wanted <> 'on' or not b.up or b.closed_until > clock() then 0
    when b.is_local then null
    else case when b.closed_until is null then b.slots else least(b.slots, 1) end
      - (select count(*) from submissions s where s.backend = b.name and s.state in ('intended', 'sent', 'lost'))::integer
  end
$$;
