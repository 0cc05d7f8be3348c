#!/usr/bin/env bash
# tools/setup.sh: the packages that it names exist, and what apt says on failure reaches the user.
set -u
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # check WHAT CONDITION...
    local what=$1
    shift
    if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "setup: $what: not so"
        tail -n 5 "$work/log"
    fi
}

# --- every package exists, here and wherever apt has lists
if [ -n "$(apt-cache policy libc6 2>/dev/null)" ]; then
    tools/setup.sh --print >"$work/packages"
    check "at least ten packages are printed" test "$(wc -l <"$work/packages")" -ge 10
    check "one a line" bash -c '! grep -q "[^a-z0-9.+-]" "$1"' _ "$work/packages"
    while read -r package; do
        check "apt has a candidate of $package" bash -c 'apt-cache policy "$1" | grep -q "Candidate: [0-9]"' _ "$package"
    done <"$work/packages"
    tools/setup.sh --print --pytorch --mpi --fresh >"$work/all"
    for package in python3-torch libopenmpi-dev openmpi-bin debootstrap; do
        check "options add $package" bash -c 'diff "$1" "$2" | grep -q "^> $3$"' _ "$work/packages" "$work/all" "$package"
    done
else
    echo "note: apt has no package lists here, so no name was looked up"
fi

# --- a machine that lacks everything, and whose apt fails: commands of our own in front of the real ones
mkdir "$work/bin"
for tool in bash env sed uname id mktemp cat rm sort tail grep test apt-cache; do ln -s "$(command -v "$tool")" "$work/bin/"; done
printf '#!/bin/sh\necho "E: the mirror is gone"\nexit 100\n' >"$work/bin/apt-get"
printf '#!/bin/sh\nexec "$@"\n' >"$work/bin/sudo"
chmod +x "$work/bin/apt-get" "$work/bin/sudo"
PATH=$work/bin tools/setup.sh >"$work/out" 2>&1
status=$?
check "a failing apt-get fails it" test "$status" -ne 0
check "what apt-get printed is shown" grep -q "E: the mirror is gone" "$work/out"
check "the command that failed is named" grep -q "apt-get update' failed with exit status 100" "$work/out"

# --- words that it does not know
tools/setup.sh --pint >"$work/out" 2>&1
check "an unknown option ends with status 2" test $? -eq 2
check "and shows the usage" grep -q "usage: tools/setup.sh" "$work/out"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
