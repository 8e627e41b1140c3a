-- Words by which a generation is found: those of its prompt; its account, so that a search stays within it; and behind a "<", with
-- which no word of a prompt begins, each item of the library that it was made from.
create or replace function prompt_words(account text, render_request text) returns tsvector
language sql immutable as $$
  select to_tsvector('simple', coalesce(left(render_request::json ->> 'prompt', 4000), ''))
      || array_to_tsvector(array[account] || array(
           select distinct '<' || named
             from json_each(render_request::json) field
            cross join lateral json_array_elements_text(
              case json_typeof(field.value) when 'array' then field.value else json_build_array(field.value) end) named
            where field.key in ('image', 'mask', 'reference_images', 'start_image', 'end_image', 'source_video', 'video_id')
              and length(named) <= 200))
$$;
