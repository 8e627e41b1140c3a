-- Makes the id of a delivery: the time from the event's id and 80 random bits, like all ids of the service.
create or replace function new_delivery_id(p_event_id text) returns text language sql volatile as $$
  select 'dlv_' || substr(p_event_id, 5, 10) ||
         (select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (get_byte(bytes, i) & 31), 1), '')
            from sha256(uuid_send(gen_random_uuid())) as bytes, generate_series(0, 15) as i)
$$;
