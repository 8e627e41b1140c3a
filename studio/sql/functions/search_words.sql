-- Turns the words of a search into beginnings of words: "light sea" finds "a lighthouse by the sea". Returns null if
-- there is no word in it.
create or replace function search_words(account text, search text) returns tsquery language sql immutable as $$
  select quote_literal(account)::tsquery && string_agg(
    '''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || ''':*', ' & ')::tsquery
  from unnest(to_tsvector('simple', search))
$$;
