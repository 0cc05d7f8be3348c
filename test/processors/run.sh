#!/usr/bin/env bash
# usage: run.sh OUT   the autograd tests with the kernels of other processors than this one: Reel's of older instruction
# sets, and products by the kernels that OpenBLAS has for others. Ends with `N passed, N failed`.
set -u
program=$1/bin/test_autograd
passed=0 failed=0
flags=" $(sed -n 's/^flags[^:]*://p;T;q' /proc/cpuinfo) "
log=$(mktemp)
trap 'rm -f "$log"' EXIT
number() { # of cases that ended so
    local n
    n=$(sed -n "s/^ *\([0-9]*\) test cases\{0,1\} out of [0-9]* $1.*/\1/p" "$log" | tail -n 1)
    echo "${n:-0}"
}
cases() { # cases SETTING [OPTION...]
    local setting=$1 status ok bad
    shift
    env "$setting" timeout 900 "$program" "$@" --report_level=short --color_output=no >"$log" 2>&1
    status=$?
    ok=$(number passed) bad=$(($(number failed) + $(number aborted)))
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ] || [ "$ok" -eq 0 ]; then bad=$((bad + 1)); fi
    passed=$((passed + ok)) failed=$((failed + bad))
    if [ "$bad" -ne 0 ]; then
        echo "processors: with $setting:"
        grep -aE "error: |fatal error" "$log" | head -n 20
    fi
}
if [ "$(uname -m)" = x86_64 ]; then
    products=--run_test=products,linear_algebra,linalg_derivatives,serial_blas,conv,rnn,attention,winograd,cdist,grouped_products
    cases REEL_ISA=v2
    if [[ $flags == *" avx2 "* ]]; then cases OPENBLAS_CORETYPE=Haswell "$products"; fi
    if [[ $flags == *" avx512vl "* ]]; then
        cases REEL_ISA=v3
        cases OPENBLAS_CORETYPE=SkylakeX "$products"
    fi
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
