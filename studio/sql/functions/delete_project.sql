-- Deletes a project. What was made in it stays in the library; what is still being made goes to the library too.
create or replace function delete_project(account text, project text) returns boolean language plpgsql as $$
begin
  perform 1 from accounts where id = account for update;
  delete from projects where id = project and account_id = account;
  if not found then return false; end if;
  update assets set project_id = null where project_id = project;
  update uploads set project_id = null where project_id = project;
  return true;
end $$;
