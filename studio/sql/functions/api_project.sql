-- Returns the account's one project for work that names none, and creates it if it is missing.
create or replace function api_project(account text, new_id text) returns text language plpgsql as $$
declare
  project text;
begin
  select id into project from projects where account_id = account and is_api;
  if project is null then
    insert into projects (id, account_id, title, is_api) values (new_id, account, 'API', true) returning id into project;
  end if;
  return project;
end $$;
