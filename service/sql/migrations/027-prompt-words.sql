-- Generations are found by the words of their prompts, those that failed or still wait too. Words lie beside the request,
-- with the account among them, and go with it. What was accepted before is filled in here, once.
-- release: 2
alter table generation_requests add column words tsvector;
update generation_requests r
   set words = to_tsvector('simple', coalesce(left(r.render_request::json ->> 'prompt', 4000), ''))
     || array_to_tsvector(array[g.account_id])
  from generations g where g.id = r.generation_id;
create index generation_requests_words on generation_requests using gin (words);
