-- Returns each library item, upload and address that a request names, prefixed with "<". No word of a prompt begins
-- with that. `contract/studio/references.ts` has the list of all fields that name media.
create or replace function named_items(render_request text) returns text[] language sql immutable as $$
  select array(
    select distinct '<' || named
      from json_each(render_request::json) field
     cross join lateral json_array_elements_text(
       case json_typeof(field.value) when 'array' then field.value else json_build_array(field.value) end) named
     where field.key in ('image', 'mask', 'reference_images', 'start_image', 'end_image', 'source_video', 'video_id')
       and length(named) <= 200)
$$;
