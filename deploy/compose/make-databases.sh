#!/bin/sh
# Run once by the image of PostgreSQL, when its volume is empty: a role and a database for each of the two parts that have one.
set -eu
for name in service studio; do
  psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres \
    --set "name=$name" --set "password=$(cat "${SECRETS:-/run/secrets}/${name}_password")" <<'SQL'
create role :"name" login password :'password';
create database :"name" owner :"name" encoding 'UTF8' template template0;
SQL
done
