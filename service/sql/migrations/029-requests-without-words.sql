-- What the cleaner still has to give its words, and nothing else.
-- release: 2
-- transaction: none
create index concurrently generation_requests_without_words on generation_requests (generation_id) where words is null;
