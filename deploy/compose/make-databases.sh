#!/bin/sh
# A role and a database for each of the two parts that have one. Run once: by the image of PostgreSQL when its volume is empty, or as
# root on a machine with a PostgreSQL of its own.
set -eu
user=${POSTGRES_USER:-postgres}
as=
# Debian's server lets nobody but the account postgres in as that role over its socket. Root becomes it, unless it was given another way.
case ${PGHOST:-/} in
  /*) [ "$(id -u)" != 0 ] || [ -n "${PGPASSWORD:-}" ] || as="runuser -u $user --" ;;
esac
for name in service studio; do
  # Read by root: the other account sees no files of secrets. Handed on by standard input, for arguments are seen by everybody on
  # the machine, and quoted as psql reads them.
  password=$(sed "s/[\\\\']/\\\\&/g" "${SECRETS:-/run/secrets}/${name}_password")
  $as psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$user" --dbname postgres --set "name=$name" <<SQL
\\set password '$password'
create role :"name" login password :'password';
create database :"name" owner :"name" encoding 'UTF8' template template0;
revoke connect on database :"name" from public;
SQL
done
