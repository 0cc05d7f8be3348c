#!/usr/bin/env bash
# usage: cluster.sh [-n HOSTS] [--delay MS] [--loss PERCENT] [--rate MBIT] [--timeout SECONDS] PROGRAM [ARGUMENT...]
# Runs PROGRAM on HOSTS (2) ranks, each in a network namespace of its own that stands for a host: 10.77.0.1, 10.77.0.2, ...
# on one bridge, over sockets. Delay, loss and rate are those of every host's way out, where the kernel has netem. Needs
# root. Each line of output begins with its rank; the exit status is the worst. Exit status 3: this machine cannot.
set -u
hosts=2 delay="" loss="" rate="" timeout=600
while [ $# -gt 0 ]; do
    case "$1" in
    -n) hosts=$2 && shift 2 ;;
    --delay) delay=$2 && shift 2 ;;
    --loss) loss=$2 && shift 2 ;;
    --rate) rate=$2 && shift 2 ;;
    --timeout) timeout=$2 && shift 2 ;;
    -*)
        sed -n '2,3p' "$0" | sed 's/^# //' >&2
        exit 2
        ;;
    *) break ;;
    esac
done
if [ $# -eq 0 ]; then
    sed -n '2p' "$0" | sed 's/^# //' >&2
    exit 2
fi
cannot() {
    echo "cluster: $*" >&2
    exit 3
}
[ "$(id -u)" -eq 0 ] || cannot "network namespaces need root"
command -v ip >/dev/null || cannot "there is no ip (Debian's iproute2)"
[ -z "$delay$loss$rate" ] || command -v tc >/dev/null || cannot "there is no tc (Debian's iproute2): no delay, loss or rate"

net=reel$$ # names of interfaces have 15 letters at most
namespaces=()
tidy() {
    for namespace in "${namespaces[@]}"; do
        ip netns pids "$namespace" 2>/dev/null | xargs -r kill -9 2>/dev/null
        ip netns del "$namespace" 2>/dev/null
    done
    ip netns del "$net-b" 2>/dev/null
}
trap tidy EXIT
# the bridge has a namespace of its own, so that nothing of this machine's network changes
ip netns add "$net-b" 2>/dev/null || cannot "this machine makes no network namespaces"
ip -n "$net-b" link add bridge type bridge 2>/dev/null || cannot "the kernel has no bridges"
ip -n "$net-b" link set bridge up
for ((host = 1; host <= hosts; ++host)); do
    namespace=$net-$host
    ip netns add "$namespace" && namespaces+=("$namespace")
    ip -n "$net-b" link add "to$host" type veth peer name eth0 netns "$namespace" 2>/dev/null || cannot "the kernel has no veth"
    ip -n "$net-b" link set "to$host" master bridge up
    ip -n "$namespace" addr add "10.77.0.$host/24" dev eth0
    ip -n "$namespace" link set lo up
    ip -n "$namespace" link set eth0 up
    if [ -n "$delay$loss$rate" ]; then
        # shellcheck disable=SC2086
        ip netns exec "$namespace" tc qdisc add dev eth0 root netem limit 10000 ${delay:+delay ${delay}ms} \
            ${loss:+loss ${loss}%} ${rate:+rate ${rate}mbit} 2>/dev/null || cannot "the kernel has no netem: no delay, loss or rate"
    fi
done

pids=()
for ((host = 1; host <= hosts; ++host)); do
    (
        set -o pipefail
        timeout "$timeout" ip netns exec "$net-$host" env RANK=$((host - 1)) WORLD_SIZE="$hosts" MASTER_ADDR=10.77.0.1 \
            MASTER_PORT=29500 "$@" 2>&1 | sed -u "s/^/[$((host - 1))] /"
    ) &
    pids+=($!)
done
worst=0
for pid in "${pids[@]}"; do
    wait "$pid"
    status=$?
    [ "$status" -gt "$worst" ] && worst=$status
done
exit "$worst"
