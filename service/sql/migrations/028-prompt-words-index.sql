-- What has a word of an account is found at once. 027 makes it, but where a database had that from before it did.
-- release: 2
-- transaction: none
create index concurrently if not exists generation_requests_words on generation_requests using gin (words);
