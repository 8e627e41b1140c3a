-- Words by which a generation is found: those of its prompt; its account, so that a search stays within it; and what named_items
-- has. Every create comes by here: what has no query of its own is a part of the statement that calls it, and what may name nothing
-- is not taken apart (the service writes JSON without spaces).
create or replace function prompt_words(account text, render_request text) returns tsvector
language sql immutable as $$
  select to_tsvector('simple', coalesce(left(render_request::json ->> 'prompt', 4000), ''))
      || array_to_tsvector(array[account] || case
           when strpos(render_request, '"image":') > 0 or strpos(render_request, '"mask":') > 0
             or strpos(render_request, '_image') > 0 or strpos(render_request, '"source_video":') > 0
             or strpos(render_request, '"video_id":') > 0
           then named_items(render_request) else '{}' end)
$$;
