-- Its place is taken by generations_by_age.
-- contracts: an index alone. The release before looks for what waited too long without it, which is slower.
-- release: 2
-- transaction: none
drop index concurrently if exists generations_oldest_waiting;
