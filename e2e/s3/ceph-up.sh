#!/usr/bin/env bash
# A real S3 server in memory for tests, of Debian's packages ceph-mon, ceph-osd and radosgw: a monitor, one store and the gateway,
# as root and on loopback alone. Prints `ready` once it serves; all three end when this ends, or when its parent is gone.
#
#   ceph-up.sh FOLDER MONITOR_PORT S3_PORT ACCESS_KEY SECRET_KEY [S3_ADDRESS]
#
# FOLDER is absolute and empty or missing. The gateway listens on S3_ADDRESS, if that is given.
set -euo pipefail
[ $# = 5 ] || [ $# = 6 ] || { echo "usage: $0 FOLDER MONITOR_PORT S3_PORT ACCESS_KEY SECRET_KEY [S3_ADDRESS]" >&2; exit 2; }
folder=$1 monitor_port=$2 s3_port=$3 access_key=$4 secret_key=$5 s3_address=${6:-127.0.0.1}
[ -z "$(ls -A "$folder" 2>/dev/null)" ] || { echo "$folder is not empty" >&2; exit 2; }
mkdir -p "$folder"/{mon,osd,run,rgw}
cluster=$(cat /proc/sys/kernel/random/uuid)
address="[v2:127.0.0.1:$monitor_port]"

cat > "$folder/ceph.conf" <<CONF
[global]
fsid = $cluster
mon_host = $address
public_addr = 127.0.0.1
ms_bind_ipv6 = false
auth_cluster_required = cephx
auth_service_required = cephx
auth_client_required = cephx
run_dir = $folder/run
keyring = $folder/keyring
admin_socket = $folder/run/\$name.asok
pid_file = $folder/run/\$name.pid
log_file = $folder/\$name.log
mon_cluster_log_file = $folder/cluster.log
mon_data = $folder/mon
osd_data = $folder/osd
osd_objectstore = memstore
memstore_device_bytes = 2147483648
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
mon_osd_min_down_reporters = 1
osd_memory_target = 939524096
[client.rgw]
rgw_frontends = beast endpoint=$s3_address:$s3_port
rgw_data = $folder/rgw
rgw_enable_ops_log = false
rgw_enable_usage_log = false
rgw_rados_pool_pg_num_min = 1
rgw_run_sync_thread = false
CONF
conf=(-c "$folder/ceph.conf")
trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
trap 'exit 0' TERM INT

ring=$folder/keyring
monmaptool --create --addv a "$address" --fsid "$cluster" "$folder/monmap"
ceph-authtool --create-keyring "$ring" --gen-key -n mon. --cap mon 'allow *'
for name in client.admin client.rgw; do
  ceph-authtool "$ring" --gen-key -n $name --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *'
done
ceph-authtool "$ring" --gen-key -n osd.0 --cap mon 'allow profile osd' --cap osd 'allow *' --cap mgr 'allow profile osd'
ceph-mon "${conf[@]}" --mkfs -i a --monmap "$folder/monmap" --keyring "$ring"
ceph-mon "${conf[@]}" -f -i a &

store=$(cat /proc/sys/kernel/random/uuid)
number=$(timeout 60 ceph "${conf[@]}" osd new "$store")
ceph-osd "${conf[@]}" -i "$number" --mkfs --osd-uuid "$store"
ceph-osd "${conf[@]}" -f -i "$number" &
for _ in $(seq 1 100); do
  timeout 20 ceph "${conf[@]}" osd stat -f json 2>/dev/null | grep -q '"num_up_osds":1' && break
  sleep 0.3
done
radosgw-admin "${conf[@]}" -n client.rgw user create --uid=renderkit --display-name=Renderkit \
  --access-key="$access_key" --secret-key="$secret_key" >"$folder/user.json"
radosgw "${conf[@]}" -f -n client.rgw &
gateway=$!
for _ in $(seq 1 200); do
  (exec 3<>"/dev/tcp/$s3_address/$s3_port") 2>/dev/null && break
  sleep 0.1
done
echo ready
while kill -0 "$PPID" 2>/dev/null && kill -0 $gateway 2>/dev/null; do sleep 1; done
