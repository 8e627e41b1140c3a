-- A repeated create that finds its first one held must know at once whether the process that holds it is gone: the key of the
-- advisory lock that this process has for as long as it lives (decision 0062).
-- And the time within which a request counts as a repetition runs from the moment at which its first client was lost: a call
-- may have been waited for longer than that time.
-- release: 2
alter table facade_calls add column presence bigint, add column let_go_at timestamptz;
