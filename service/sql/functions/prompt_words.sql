-- Words by which a generation is found: those of its prompt, and its account, so that a search stays within it.
create or replace function prompt_words(account text, render_request text) returns tsvector
language sql immutable as $$
  select to_tsvector('simple', coalesce(left(render_request::json ->> 'prompt', 4000), '')) || array_to_tsvector(array[account])
$$;
