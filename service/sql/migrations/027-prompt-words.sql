-- Generations are found by the words of their prompts, those that failed or still wait too. Words lie beside the request,
-- with the account among them, and go with it. Null until the cleaner has come to what was accepted by an earlier release.
-- release: 2
alter table generation_requests add column words tsvector;
