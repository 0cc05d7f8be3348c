#!/usr/bin/env bash
# Sets up, builds and runs every test. Ends with `N passed, N failed`.
#   --sanitize        everything under AddressSanitizer and UndefinedBehaviorSanitizer
#   --sanitize=fast   the autograd and nn tests alone
set -eu
cd "$(dirname "$0")/.."
tools/setup.sh
jobs=$(nproc)
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-2}
case "${1:-}" in
"")
    b2 -j"$jobs" -d1 everything >out-build.log 2>&1 || { grep -aE "error|failed" out-build.log | head -40; echo "0 passed, 1 failed"; exit 1; }
    rm -f out-build.log
    tools/run-tests.sh out
    ;;
--sanitize | --sanitize=fast)
    programs=""
    [ "$1" = --sanitize=fast ] && programs="test_autograd test_nn"
    b2 -j"$jobs" -d1 sanitize=address tests >out-build.log 2>&1 || { grep -aE "error|failed" out-build.log | head -40; echo "0 passed, 1 failed"; exit 1; }
    rm -f out-build.log
    export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 LSAN_OPTIONS=suppressions=tools/lsan.supp:print_suppressions=0 UBSAN_OPTIONS=print_stacktrace=1
    tools/run-tests.sh out/san-address $programs
    ;;
*)
    echo "usage: tools/test.sh [--sanitize | --sanitize=fast]" >&2
    exit 2
    ;;
esac
