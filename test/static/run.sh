#!/usr/bin/env bash
# usage: run.sh OUT   a program that is linked with Reel's static libraries trains. Ends with `N passed, N failed`.
set -u
program=$1/bin/train_static
passed=0 failed=0
check() { # check WHAT COMMAND...
    local what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "static: $what: not so"
    fi
}
alone() { ldd "$program" >"$1" && ! grep libreel "$1"; }
list=$(mktemp)
trap 'rm -f "$list"' EXIT
check "it trains, and finds what it asks for by name" "$program"
check "it loads no library of Reel's" alone "$list"
if [ "$(uname -m)" = x86_64 ]; then check "so it does with the kernels of the oldest processors" env REEL_ISA=v2 "$program"; fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
