create or replace function clock() returns timestamptz language sql stable as $$ select statement_timestamp() $$;
