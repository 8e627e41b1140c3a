-- Sets when these endpoints may next be served, where that changes. The caller has locked their turns. Usually more
-- deliveries are already due, and nothing changes.
create or replace function refresh_next_due(p_endpoint_ids text[], p_at timestamptz) returns void
language plpgsql volatile
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
begin
  update endpoint_turns t
     set next_due = n.next_due
    from (select t.endpoint_id, next_due_of(t.endpoint_id, t.state = 'failing', t.leases, p_at) as next_due
            from endpoint_turns t where t.endpoint_id = any (p_endpoint_ids)) n
   where t.endpoint_id = n.endpoint_id and t.endpoint_id = any (p_endpoint_ids)
     and (n.next_due is null or t.next_due is null or n.next_due > p_at or t.next_due > p_at)
     and n.next_due is distinct from t.next_due;
end
$$;
