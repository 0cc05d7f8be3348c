#!/usr/bin/env bash
# usage: build-times.sh [N]   builds what is out of date and prints the N (10) files that took longest to compile, in seconds.
# From scratch: rm -rf out/build first.
set -eu
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
b2 -j"$(nproc)" -d4 everything >"$log" 2>&1 || { grep -aE "error" "$log" | head; exit 1; }
# with -d4 b2 prints the action's name, then `N sec system; N sec user; N sec clock`
awk '/^(gcc|nvcc)\./ {target = $2; sub(/.*threading-multi\//, "", target)}
     / sec system; / {if (target != "") printf "%7.2f %s\n", $1 + $4, target; target = ""}' "$log" | sort -rn | head -n "${1:-10}"
