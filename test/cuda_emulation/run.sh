#!/usr/bin/env bash
# The tests of the device, on a device that is emulated: in every order of threads, with work that runs as late as it
# may, on a large and on a small one, and under the watch.
set -u
cd "$(dirname "$0")/../.."
out=$1
passed=0 failed=0
if [ ! -e "$out/emulated/lib/libreel_cuda.so" ]; then
    echo "note: no headers of the CUDA toolkit, or no Boost.Context"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
seed=$((RANDOM))
on_device() { # on_device emulated|watched MODES [cache]; without, each allocation has pages of its own
    local log
    log=$(LD_LIBRARY_PATH="$out/$1/lib" REEL_CUDA_ALLOCATOR=${3:-driver} REEL_CUDA_POISON=1 REEL_EMULATION=$2 OMP_NUM_THREADS=1 timeout 300 "$out/bin/test_cuda" --color_output=no 2>&1)
    # skipped tests would be no tests
    if [ $? -eq 0 ] && ! grep -q skipped <<<"$log"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "$*:"
        tail -n 20 <<<"$log"
    fi
}
for modes in order=forward,timing=eager order=forward,timing=late order=reverse,timing=late \
    order=random,timing=random,seed=$seed order=forward,timing=late,device=small; do
    on_device emulated "$modes"
done
for modes in order=reverse,timing=late order=random,timing=random,seed=$seed order=forward,timing=late,device=small; do
    on_device emulated "$modes" cache
done
# with Reel's own kernels in cuDNN's place
REEL_CUDNN_LIBRARY=none.so on_device emulated order=forward,timing=late
if [ -d "$out/watched" ]; then on_device watched order=forward,timing=late; fi
# without a device that can be used: the reason, and everything else works
without() { # without MODES REASON
    local log
    log=$(LD_LIBRARY_PATH="$out/emulated/lib" REEL_EMULATION=$1 "$out/bin/test_cuda" --color_output=no 2>&1)
    if [ $? -eq 0 ] && grep -q "skipped: $2" <<<"$log"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "$1: expected the reason '$2'"
        tail -n 5 <<<"$log"
    fi
}
without driver=none "no CUDA driver is loaded on this machine"
without driver=old "the CUDA driver supports version 11.0, this build needs"
without devices=0 "the CUDA driver finds no device"
# what the reference has, on the device: a case whose kernel is not there yet is counted, not failed
reference=../shared/oracle/ops
if [ ! -d "$reference" ]; then reference=test/reference/ops; fi
if [ -x "$out/bin/oracle-replay" ]; then
    log=$(LD_LIBRARY_PATH="$out/emulated/lib" REEL_CUDA_ALLOCATOR=driver REEL_EMULATION=timing=late,order=reverse OMP_NUM_THREADS=1 timeout 600 \
        "$out/bin/oracle-replay" "$reference" --device cuda 2>&1)
    if [ $? -eq 0 ]; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        grep -a FAIL <<<"$log" | head -n 20
        tail -n 5 <<<"$log"
    fi
    echo "note: $(sed -n 's/^ops *\([0-9]* . [0-9]*\) .*unsupported \([0-9]*\) .*/of the reference, \1 ops whole on the device; \2 cases want a kernel/p' <<<"$log")"
fi
# the bench's rows of a device, in sizes that say nothing: each runs, a captured training step among them
if [ -x "$out/bin/reel-bench" ]; then
    log=$(LD_LIBRARY_PATH="$out/emulated/lib" OMP_NUM_THREADS=1 timeout 120 "$out/bin/reel-bench" --device cuda --small 2>&1)
    if [ $? -eq 0 ] && [ "$(grep -c '% *$' <<<"$log")" -gt 15 ]; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        tail -n 5 <<<"$log"
    fi
fi
echo "note: seed $seed"
echo "$passed passed, $failed failed"
