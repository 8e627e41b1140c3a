-- Returns the words by which a generation is found: those of its prompt, its account (so that a search stays within
-- it), and those of named_items. This runs for every create. So a function without its own query is inlined into the
-- caller's statement, and requests that cannot name anything are not parsed (the service writes JSON without spaces).
create or replace function prompt_words(account text, render_request text) returns tsvector
language sql immutable as $$
  select to_tsvector('simple', coalesce(left(render_request::json ->> 'prompt', 4000), ''))
      || array_to_tsvector(array[account] || case
           when strpos(render_request, '"image":') > 0 or strpos(render_request, '"mask":') > 0
             or strpos(render_request, '_image') > 0 or strpos(render_request, '"source_video":') > 0
             or strpos(render_request, '"video_id":') > 0
           then named_items(render_request) else '{}' end)
$$;
