-- What has a word of an account is found at once.
-- release: 2
-- transaction: none
create index concurrently generation_requests_words on generation_requests using gin (words);
