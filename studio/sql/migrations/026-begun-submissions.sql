-- A submission says whether its request was begun: one that was not is simply sent by whoever takes it over, also where the engine
-- could not tell whether it had it. Committed right before the request.
-- release: 2

alter table submissions add column begun_at timestamptz;

update submissions set begun_at = coalesce(sent_at, created_at) where state in ('intended', 'sent', 'lost');
