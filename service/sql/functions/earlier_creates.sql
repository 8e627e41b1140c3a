-- What stands under the Idempotency-Keys of these creates, in arrays by their order; null where nothing does.
-- `same_request`: it was the same request; `bodies`: the text of the 202 that it got.
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
