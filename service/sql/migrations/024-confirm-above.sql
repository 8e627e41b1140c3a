-- What one act may cost before a program that works for a person asks that person first; null: it need not ask. The service
-- refuses nothing by it: the command line and the server for agents read it with the key (docs/api.md §4).
-- release: 2
alter table api_keys
  add column confirm_above_millicredits bigint default 25000 check (confirm_above_millicredits >= 0);
