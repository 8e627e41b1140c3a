-- Files that a person saves say how they were made where the account wants it: whoever gets such a file reads the prompt.
-- release: 2
alter table accounts add column recipes_in_files boolean not null default false;
