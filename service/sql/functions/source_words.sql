-- Returns a query for the generations of an account that were made from a library item: see prompt_words.
create or replace function source_words(account text, item text) returns tsquery language sql immutable as $$
  select quote_literal(account)::tsquery && ('''<' || replace(replace(item, '\', '\\'), '''', '''''') || '''')::tsquery
$$;
