-- Returns a query for the words of a search as beginnings of words, within an account: "light sea" finds "a lighthouse
-- by the sea". Returns null where the search contains no word. prompt_words makes the words of a generation.
create or replace function search_words(account text, search text) returns tsquery language sql immutable as $$
  select quote_literal(account)::tsquery && string_agg(
    '''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || ''':*', ' & ')::tsquery
  from unnest(to_tsvector('simple', search))
$$;
