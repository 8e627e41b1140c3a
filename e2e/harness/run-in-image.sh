#!/usr/bin/env bash
# Runs a command in the root of an image as the strictest containers do: the root is read-only, /tmp and /data are empty and its own,
# the user has any id and the group 0, and nothing of this process's environment gets in but what is named.
#
#   unshare --mount run-in-image.sh ROOT USER_ID [NAME=value…] COMMAND…
set -euo pipefail
root=$1 user=$2
shift 2
touch "$root/etc/hosts"
mount --bind "$root" "$root"
mount --bind /etc/hosts "$root/etc/hosts"
mount -o remount,bind,ro "$root"
mount --rbind /proc "$root/proc"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
mount -t tmpfs -o mode=770 data "$root/data"
mount -t tmpfs -o mode=755 dev "$root/dev"
for device in null zero random urandom; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
cd "$root/tmp"
exec chroot --userspec="$user:0" --groups= "$root" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin "$@"
