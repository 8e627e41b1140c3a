-- The cleaner gives older requests their words batch by batch (029 has the index of those that lack them), and 028 builds the index of words
-- beside the traffic.
-- step: in a transaction
alter table generation_requests add column if not exists words tsvector;
