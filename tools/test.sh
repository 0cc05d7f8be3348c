#!/usr/bin/env bash
# Sets up, builds and runs every test. Ends with `N passed, N failed`.
#   --sanitize        every test program, the examples and the vendored reference cases under AddressSanitizer and
#                     UndefinedBehaviorSanitizer
#   --sanitize=fast   the autograd and nn tests alone, by the kernels of this machine's instruction set
#   --sanitize=thread the tests marked `threads` under ThreadSanitizer; OpenMP, whose runtime it cannot follow, gets
#                     one thread
set -eu
cd "$(dirname "$0")/.."
tools/setup.sh
jobs=$(nproc)
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-2}
build() {
    if b2 -j"$jobs" -d1 "$@" >out-build.log 2>&1; then rm -f out-build.log; else
        grep -aE "error|failed|undefined reference" out-build.log | head -n 40
        echo "0 passed, 1 failed"
        exit 1
    fi
}
case "${1:-}" in
"")
    # What the toolkit compiles runs on a driver alone; .ci/run compiles it everywhere. The emulated device needs no more
    # than the toolkit's headers.
    if PATH=$PATH:/sbin:/usr/sbin ldconfig -p | grep -q libcuda.so.1; then build everything; else build everything cuda=off; fi
    tools/run-tests.sh out all
    ;;
--sanitize | --sanitize=fast)
    export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:allocator_may_return_null=1:${ASAN_OPTIONS:-}
    export LSAN_OPTIONS=suppressions=tools/lsan.supp:print_suppressions=0 UBSAN_OPTIONS=print_stacktrace=1
    export REEL_EXAMPLE_LIMIT=300
    if [ "$1" = --sanitize=fast ]; then
        # kernels of this machine's instruction set alone: those of the others are a quarter of what would be compiled
        case " $(sed -n 's/^flags[^:]*://p;T;q' /proc/cpuinfo) " in
        *" avx512vl "*) isa=v4 ;;
        *" avx2 "*) isa=v3 ;;
        *) isa="" ;;
        esac
        # shellcheck disable=SC2086
        build sanitize=address ${isa:+isa=$isa} tests-fast
        tools/run-tests.sh "out/san-address${isa:+/isa-$isa}" fast
    else
        build sanitize=address stage-libraries examples replay file-tool op-fuzz-tool tests
        export REEL_FUZZ_SECONDS=120
        tools/run-tests.sh out/san-address programs
    fi
    ;;
--sanitize=thread)
    export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    export TSAN_OPTIONS=suppressions=$PWD/tools/tsan.supp:ignore_noninstrumented_modules=1:second_deadlock_stack=1:${TSAN_OPTIONS:-}
    build sanitize=thread tests-threads
    tools/run-tests.sh out/san-thread threads
    ;;
*)
    echo "usage: tools/test.sh [--sanitize | --sanitize=fast | --sanitize=thread]" >&2
    exit 2
    ;;
esac
