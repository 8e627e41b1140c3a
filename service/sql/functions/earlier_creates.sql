-- Finds earlier creates with the Idempotency-Keys of these creates. Returns arrays in their order, null where there is
-- none. `same_request`: whether it was the same request. `bodies`: the text of its 202. `fingerprint` in
-- `service/src/idempotency/idempotency-key.ts` decides when two requests are equal.
create or replace function earlier_creates(
  p_creates generation_create[],
  out same_request boolean[], out bodies text[]
)
language plpgsql stable
set enable_seqscan = off
as $$
begin
  select array_agg(g.fingerprint = decode(c.fingerprint, 'hex') order by c.ordinality),
         array_agg(r.accepted_body order by c.ordinality)
    into same_request, bodies
    from unnest(p_creates) with ordinality as c
    left join generations g on g.account_id = c.account_id and g.idempotency_key = c.idempotency_key
    left join generation_requests r on r.generation_id = g.id;
end
$$;
