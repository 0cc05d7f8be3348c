#!/usr/bin/env bash
# usage: run.sh OUT   every public header compiles alone, and the umbrella stays within its budget of preprocessed lines.
set -u
cd "$(dirname "$0")/../.."
budget=120000
# the standard library's own headers have grown: those of GCC 14 by 21,000 of these lines
if [ "$("${CXX:-g++}" -dumpversion | cut -d. -f1)" -gt 12 ]; then budget=142000; fi
folders=(libs/*/include)
if [ -d out/gen/include ]; then folders+=(out/gen/include); fi
log=$(python3 test/headers/alone.py "${folders[@]}")
echo "$log"
count=$(sed -n 's/^note: \([0-9]*\) headers.*/\1/p' <<<"$log")
failed=$(grep -c "does not compile alone:" <<<"$log")
passed=$((${count:-0} - failed))
if [ "$passed" -le 0 ]; then failed=$((failed + 1)) passed=0; fi
lines=$("${CXX:-g++}" -std=c++20 -Wno-unknown-pragmas "${folders[@]/#/-I}" -E -include reel/reel.hpp -x c++ /dev/null | wc -l)
echo "note: reel/reel.hpp preprocesses to $lines lines (at most $budget)"
if [ "$lines" -le "$budget" ] && [ "$lines" -gt 0 ]; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "reel/reel.hpp: $lines preprocessed lines, $budget are allowed"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
