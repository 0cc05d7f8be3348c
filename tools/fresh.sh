#!/usr/bin/env bash
# usage: tools/fresh.sh SUITE [COMMAND [ARGUMENT...]]
# Runs COMMAND (tools/demo.sh) as a new user would: in a Debian SUITE (bookworm, trixie) that has nothing but its minimal
# packages, in a clone of what is committed here. Needs root and debootstrap; the new system is a folder below TMPDIR
# and goes when the command ends. DEBIAN_MIRROR names another mirror than debootstrap's own. Exit status 3: no such
# system could be made, and why; otherwise COMMAND's.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -eq 0 ] || [ "${1#-}" != "$1" ]; then
    sed -n '2s/^# //p' "$0" >&2
    exit 2
fi
suite=$1
shift
[ $# -gt 0 ] || set -- tools/demo.sh
cannot() {
    echo "fresh: $1" >&2
    exit 3
}
[ "$(id -u)" -eq 0 ] || cannot "only root can make a new system"
command -v debootstrap >/dev/null || cannot "there is no debootstrap (apt-get install debootstrap)"

work=$(mktemp -d)
root=$work/root
leave() {
    umount "$root/proc" 2>/dev/null || true # before anything is removed
    rm -rf --one-file-system "$work"
}
trap leave EXIT
trap 'exit 130' INT TERM
if ! debootstrap --variant=minbase "$suite" "$root" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} >"$work/log" 2>&1; then
    tail -n 20 "$work/log" >&2
    cannot "debootstrap could not make a Debian '$suite'"
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc" || echo "fresh: no /proc in the new system" >&2
git clone -q --no-local "$here" "$root/reel"
status=0
env -i HOME=/root TERM="${TERM:-dumb}" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    chroot "$root" sh -c 'cd /reel && exec "$@"' sh "$@" </dev/null || status=$?
echo "fresh: '$*' on Debian $suite ended with exit status $status"
exit "$status"
