-- Their places are taken by renders_by_age and renders_of_accounts. What is under way has not ended, by a check from now on.
-- contracts: indexes alone. What the release before asks for without them is found, and slower.
-- release: 2
drop index renders_overdue, renders_active;
alter table renders add constraint renders_under_way
  check (status not in ('queued', 'running') or completed_at is null) not valid;
