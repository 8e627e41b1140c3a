-- What the console reads every few seconds. Audit entries of one action have an index of their own. An account's generations of one key come
-- from the days on which the key committed anything: the indexes that they are read by know the key, and no create pays
-- for one more.

create index audit_entries_by_action on audit_entries (account_id, action, at desc, id desc);

drop index generations_newest;
create index generations_newest on generations (account_id, created_at desc, id desc) include (key_id);
drop index generations_newest_by_kind;
create index generations_newest_by_kind on generations (account_id, kind, created_at desc, id desc) include (key_id);
drop index generations_newest_by_status;
create index generations_newest_by_status on generations (account_id, status, created_at desc, id desc)
  include (kind, key_id);
