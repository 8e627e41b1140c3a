-- Returns one amount of a route's cost: a number, or one that depends on an option or the mode. A choice that the table
-- does not name counts as the dearest.
create or replace function cost_amount(amount jsonb, shape jsonb) returns numeric language sql immutable as $$
  select case jsonb_typeof(amount)
    when 'number' then amount::text::numeric
    when 'object' then coalesce(
      (amount->'values'->>case amount->>'by' when 'mode' then shape->>'mode'
        else shape->'options'->>substr(amount->>'by', length('options.') + 1) end)::numeric,
      (select max(value::numeric) from jsonb_each_text(amount->'values')))
    else 0 end
$$;
