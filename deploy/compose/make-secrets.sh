#!/bin/sh
# Makes the secrets that deploy/compose.yaml names, as files in the folder that is given or in `secrets` beside this file. It
# changes none that is there: keep them, the secret key above all.
set -eu
folder=${1:-$(dirname "$0")/secrets}
# The folder is closed to others. The files are not, because containers read them under a user id of their own.
mkdir -p -m 700 "$folder"
cd "$folder"

# Written beside and then linked, so that a file is whole or not there, and none is written twice.
keep() {
  umask 022
  cat > "$1.new"
  ln "$1.new" "$1" 2>/dev/null || true
  rm "$1.new"
}
random() { od -An -N "$1" -tx1 /dev/urandom | tr -d ' \n'; }

for name in postgres_password service_password studio_password studio_client_secret metrics_token; do
  random 24 | keep "$name"
done
random 32 | keep secret_key
random 10 | keep s3_access_key_id
random 24 | keep s3_secret_access_key
printf 'postgresql://service:%s@postgres/service' "$(cat service_password)" | keep database_url
printf 'postgresql://studio:%s@postgres/studio' "$(cat studio_password)" | keep studio_database_url
printf '{"identities":[{"name":"renderkit","actions":["Admin"],"credentials":[{"accessKey":"%s","secretKey":"%s"}]}]}\n' \
  "$(cat s3_access_key_id)" "$(cat s3_secret_access_key)" | keep s3_identities
