#!/usr/bin/env bash
# Runs every test program below OUT/bin and prints one line each, then `N passed, N failed`. A crash is a failure.
set -u
out=$1
shift
only=${*:-}
passed=0 failed=0
for program in "$out"/bin/test_*; do
    [ -x "$program" ] || continue
    name=$(basename "$program")
    if [ -n "$only" ] && ! grep -qw -- "$name" <<<"$only"; then continue; fi
    log="$out/$name.log"
    timeout 900 "$program" --report_level=short --color_output=no >"$log" 2>&1
    status=$?
    ok=$(sed -n 's/^ *\([0-9]*\) test cases\{0,1\} out of [0-9]* passed.*/\1/p' "$log" | tail -n 1)
    bad=$(sed -n 's/^ *\([0-9]*\) test cases\{0,1\} out of [0-9]* failed.*/\1/p' "$log" | tail -n 1)
    all=$(sed -n 's/^Running \([0-9]*\) test cases\{0,1\}.*/\1/p' "$log" | tail -n 1)
    ok=${ok:-0} bad=${bad:-0}
    if [ "$status" -eq 0 ]; then ok=${all:-$ok} bad=0; elif [ "$bad" -eq 0 ]; then bad=1; fi
    printf '%-20s %5d passed %5d failed\n' "$name" "$ok" "$bad"
    if [ "$bad" -ne 0 ]; then tail -n 40 "$log"; fi
    passed=$((passed + ok)) failed=$((failed + bad))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
