#!/usr/bin/env bash
# usage: run.sh OUT   the programs of examples/rl from outside: going on after a kill, the page, and what must be refused;
# and that those with a goal reach it. Ends with `N passed, N failed, N skipped`.
set -u
cd "$(dirname "$0")/../.."
bin=$(cd "${1:-out}" && pwd)/bin
export OMP_NUM_THREADS=1
passed=0 failed=0 skipped=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
check() { # check NAME COMMAND...
    local name=$1
    shift
    if "$@"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "agents: $name"
    fi
}
# refused PROGRAM NAME PATTERN ARGUMENTS...: status 2, one line that matches
refused() {
    local program=$1 name=$2 pattern=$3 status
    shift 3
    "$bin/$program" "$@" >"$dir/stdout" 2>"$dir/stderr"
    status=$?
    check "$program, $name: status $status, expected 2" [ "$status" -eq 2 ]
    check "$program, $name: more than one line" [ "$(wc -l <"$dir/stderr")" -eq 1 ]
    check "$program, $name: '$(cat "$dir/stderr")' does not say $pattern" grep -q -- "$pattern" "$dir/stderr"
}

# short PROGRAM FRAMES SAVE_EVERY: a run in one go, and the same run killed after its first and second checkpoint
short() {
    local program=$1 at="$dir/$1"
    local run=("$bin/$program" --seed 5 --frames "$2" --save-every "$3" --seconds 600 --episodes 5)
    if [ ! -x "$bin/$program" ]; then
        echo "note: there is no $program"
        skipped=$((skipped + 1))
        return
    fi
    "${run[@]}" --report "$at.a.html" --checkpoint "$at.a" >"$at.log" 2>&1
    local status=$?
    check "$program fails: $(tail -n 1 "$at.log")" [ "$status" -eq 0 ]
    check "$program warns: $(grep -i warning "$at.log")" bash -c "! grep -qi warning '$at.log'"
    check "$program: no mean return at the end" grep -q 'mean return' <(tail -n 1 "$at.log")
    check "$program: the report refers to something outside" \
        bash -c "! grep -qE 'src=\"[^d]|<link|url\\(|https?:' '$at.a.html'"
    check "$program: the report has no drawings" [ "$(grep -o '<svg' "$at.a.html" | wc -l)" -ge 3 ]
    check "$program: the report has no film" [ "$(grep -o 'data:image/png' "$at.a.html" | wc -l)" -ge 5 ]

    local before pid
    local stamp=(stat -c %Y.%i "$at.b")
    for kill in 1 2; do
        before=$("${stamp[@]}" 2>/dev/null)
        local resume=()
        if [ -e "$at.b" ]; then resume=(--resume); fi
        "${run[@]}" --report "$at.b.html" --checkpoint "$at.b" "${resume[@]}" >/dev/null 2>&1 &
        pid=$!
        for _ in $(seq 3000); do
            [ "$("${stamp[@]}" 2>/dev/null)" != "$before" ] && break
            sleep 0.02
        done
        { kill -KILL "$pid" && wait "$pid"; } 2>/dev/null
    done
    check "$program: no checkpoint after a kill" [ -e "$at.b" ]
    check "$program was not killed before its end" [ ! -e "$at.b.html" ]
    "${run[@]}" --report "$at.b.html" --checkpoint "$at.b" --resume >"$at.log" 2>&1
    status=$?
    check "$program: going on after a kill fails: $(tail -n 1 "$at.log")" [ "$status" -eq 0 ]
    check "$program: going on after a kill gives another report" cmp -s "$at.a.html" "$at.b.html"
    check "$program: going on after a kill gives another end" cmp -s "$at.a" "$at.b"

    refused "$program" "an unknown option" nonsense --nonsense
    refused "$program" "no frames" "--frames" --frames 0
    refused "$program" "resuming from nothing" "--checkpoint" --resume
    refused "$program" "a missing checkpoint" "$dir/none" --resume --checkpoint "$dir/none"
    refused "$program" "no such folder" "$dir/none" --report "$dir/none/page.html"
    refused "$program" "another seed" "--seed 5" --seed 6 --resume --checkpoint "$at.a"
    head -c 3000 "$at.a" >"$at.cut"
    refused "$program" "a cut checkpoint" "$at.cut" --seed 5 --resume --checkpoint "$at.cut"
}
short cartpole_dqn 6000 1024
short cartpole_ppo 12000 2048
short pendulum_sac 3000 512

# learns PROGRAM RETURN: in a minute at most
learns() {
    if [ ! -x "$bin/$1" ]; then return; fi
    "$bin/$1" --seed 0 --seconds 60 >"$dir/learns.log" 2>&1
    local reached
    reached=$(sed -n 's/^mean return over .*: \(-*[0-9.]*\)$/\1/p' "$dir/learns.log")
    check "$1 reaches '$reached' (seed 0), expected $2" awk "BEGIN { exit !(\"$reached\" != \"\" && ${reached:-0} >= $2) }"
}
learns cartpole_dqn 475
learns cartpole_ppo 475

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
