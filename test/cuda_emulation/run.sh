#!/usr/bin/env bash
# run.sh OUT [all|rest]: the tests of the device, on a device that is emulated: work that runs as late as it may with
# threads in reverse, in an order and at times that are drawn, and on a small device. `all` adds the watch (`b2 watched`),
# the address and undefined-behaviour sanitizers (`b2 checked`), the other orders, times and allocators; `rest` runs what
# `all` adds alone. Both say how long each took.
set -u
cd "$(dirname "$0")/../.."
out=$1 suite=${2:-usual}
passed=0 failed=0 skipped=0
if [ ! -e "$out/emulated/lib/libreel_cuda.so" ]; then
    echo "note: no headers of the CUDA toolkit, or no Boost.Context"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
cores=$(env -u OMP_NUM_THREADS nproc) # which would say 1 of a program that is told to use one thread
export OMP_NUM_THREADS=1
# Runs use one processor each, so as many as there are go side by side; what they say is printed in their order.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
started=0
start() { # start COMMAND...: it fails by its exit status and then says why
    while [ "$(jobs -rp | wc -l)" -ge "$cores" ]; do wait -n; done
    started=$((started + 1))
    {
        local begin=$SECONDS
        "$@" >"$work/$started.log" 2>&1 && touch "$work/$started.passed"
        if [ "$suite" != usual ]; then echo "note: $((SECONDS - begin)) s for $*" >>"$work/$started.log"; fi
    } &
}
seed=$((RANDOM))
on_device() { # on_device emulated|watched MODES [cache]; without, each allocation has pages of its own
    local log
    log=$(LD_LIBRARY_PATH="$out/$1/lib" REEL_CUDA_ALLOCATOR=${3:-driver} REEL_CUDA_POISON=1 REEL_EMULATION=$2 timeout 900 "$out/bin/test_cuda" --color_output=no 2>&1)
    # skipped tests would be no tests
    if [ $? -eq 0 ] && ! grep -q skipped <<<"$log"; then return 0; fi
    echo "$*:"
    tail -n 20 <<<"$log"
    return 1
}
# under the sanitizers, which must be there before all else; only the device's library is made for them
on_checked_device() { # on_checked_device MODES
    local log preload
    preload="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libubsan.so)"
    log=$(LD_LIBRARY_PATH="$out/checked/lib" REEL_CUDA_ALLOCATOR=driver REEL_EMULATION=$1 ASAN_OPTIONS=detect_leaks=0 \
        UBSAN_OPTIONS=print_stacktrace=1 timeout 900 env LD_PRELOAD="$preload" "$out/bin/test_cuda" --color_output=no 2>&1)
    if [ $? -eq 0 ] && ! grep -q skipped <<<"$log"; then return 0; fi
    echo "checked $*:"
    grep -aE "error: |ERROR: |runtime error" <<<"$log" | head -n 20
    tail -n 20 <<<"$log"
    return 1
}
# every example that takes `--device`, on the first device or the second; one that there is not is refused
examples() { # examples DEVICE
    local source name log status=0
    for source in $(grep -l '"device.hpp"' examples/*.cpp); do
        name=$(basename "$source" .cpp)
        [ -x "$out/bin/$name" ] || continue
        log=$(LD_LIBRARY_PATH="$out/emulated/lib" timeout 300 "$out/bin/$name" --device "$1" 2>&1) && continue
        echo "example $name --device $1:"
        tail -n 5 <<<"$log"
        status=1
    done
    log=$(LD_LIBRARY_PATH="$out/emulated/lib" timeout 300 "$out/bin/ranks" --device cuda --steps 5 --out "$work/ranks.html" 2>&1) || {
        echo "ranks --device cuda:"
        tail -n 5 <<<"$log"
        status=1
    }
    log=$(LD_LIBRARY_PATH="$out/emulated/lib" "$out/bin/04_freeze_and_finetune" --device cuda:7 2>&1)
    if [ $? -ne 2 ] || [ "$log" != "--device cuda:7: there is no such device" ]; then
        echo "04_freeze_and_finetune --device cuda:7: $log"
        status=1
    fi
    return "$status"
}
# what the reference has: a case whose kernel is not there yet is counted, not failed
of_the_reference() {
    local log reference=../shared/oracle/ops status=0
    if [ ! -d "$reference" ]; then reference=test/reference/ops; fi
    log=$(LD_LIBRARY_PATH="$out/emulated/lib" REEL_CUDA_ALLOCATOR=driver REEL_EMULATION=timing=late,order=reverse timeout 600 \
        "$out/bin/oracle-replay" "$reference" --device cuda 2>&1) || status=1
    if [ "$status" -ne 0 ]; then
        grep -a FAIL <<<"$log" | head -n 20
        tail -n 5 <<<"$log"
    fi
    echo "note: $(sed -n 's/^ops *\([0-9]* . [0-9]*\) .*unsupported \([0-9]*\) .*/of the reference, \1 ops whole on the device; \2 cases want a kernel/p' <<<"$log")"
    return "$status"
}
# the bench's rows of a device, in sizes that say nothing: each runs, a captured training step among them
bench_rows() {
    local log
    log=$(LD_LIBRARY_PATH="$out/emulated/lib" timeout 600 "$out/bin/reel-bench" --device cuda --small 2>&1)
    if [ $? -eq 0 ] && [ "$(grep -c '% *$' <<<"$log")" -gt 15 ]; then return 0; fi
    echo "reel-bench --device cuda --small:"
    tail -n 5 <<<"$log"
    return 1
}
# what a device does not take of what the CPU takes: as doc/cuda.md says, and less than twenty ops
refusals() {
    local said
    said=$(LD_LIBRARY_PATH="$out/emulated/lib" timeout 600 "$out/bin/op-table" --refused 2>&1) || { tail -n 3 <<<"$said" && return 1; }
    diff <(sed -n '/^```refused$/,/^```$/p' doc/cuda.md | sed '1d;$d') <(grep . <<<"$said") || return 1
    [ "$(grep -c . <<<"$said")" -lt 20 ]
}
# what holds of every op on the CPU holds there
properties_there() { # properties_there SUITE,...
    local log
    # by env: what is loaded first would be loaded into timeout, too
    log=$(timeout 1200 env LD_PRELOAD="$out/emulated/lib/libreel_cuda.so" REEL_PROPERTIES_DEVICE=cuda "$out/bin/test_properties" \
        --run_test="$1" --color_output=no 2>&1) && return 0
    echo "properties $1:"
    grep -a "error: " <<<"$log" | head -n 20
    tail -n 3 <<<"$log"
    return 1
}
# without the toolkit's libraries, in whose place Reel's own kernels compute, or the host does on copies
without_libraries() {
    REEL_CUDNN_LIBRARY=none.so REEL_CUSOLVER_LIBRARY=none.so REEL_CUFFT_LIBRARY=none.so REEL_CUBLAS_LIBRARY=none.so \
        on_device emulated order=forward,timing=late
}
# without a device that can be used: the reason, and everything else works
without() { # without MODES REASON
    local log
    log=$(LD_LIBRARY_PATH="$out/emulated/lib" REEL_EMULATION=$1 "$out/bin/test_cuda" --color_output=no 2>&1)
    if [ $? -eq 0 ] && grep -q "skipped: $2" <<<"$log"; then return 0; fi
    echo "$1: expected the reason '$2'"
    tail -n 5 <<<"$log"
    return 1
}
# the longest first
if [ "$suite" != rest ] && [ -x "$out/bin/oracle-replay" ]; then start of_the_reference; fi
if [ "$suite" != rest ] && [ -x "$out/bin/op-table" ]; then start refusals; fi
if [ "$suite" != rest ] && [ -x "$out/bin/reel-bench" ]; then start bench_rows; fi
if [ "$suite" != usual ]; then
    if [ -e "$out/watched/lib/libreel_cuda.so" ]; then start on_device watched order=forward,timing=late; else
        echo "note: the watched device is not built"
        skipped=1
    fi
    if [ -e "$out/checked/lib/libreel_cuda.so" ]; then start on_checked_device order=reverse,timing=late; fi
fi
if [ "$suite" != rest ]; then
    if [ -x "$out/bin/04_freeze_and_finetune" ]; then start examples cuda; fi
    start on_device emulated order=reverse,timing=late
    start on_device emulated order=random,timing=random,seed=$seed cache
    start on_device emulated order=forward,timing=late,device=small cache
    start without_libraries
fi
if [ "$suite" != usual ]; then
    if [ -x "$out/bin/04_freeze_and_finetune" ]; then start examples cuda:1; fi
    if [ -x "$out/bin/test_properties" ]; then
        start properties_there forward_mode,fused_derivatives,low_precision
        start properties_there refused_writes,empty_and_scalar,meta_device,coverage,declared_gradients,calls_in_cpp,two_devices
        start properties_there out_forms,in_place_views,refused_inputs,declared_views_of_ops
        # by the minute, and on the host they say as much of the ops: when one asks for all
        if [ "$suite" = all ]; then
            for long_one in saved_operands layouts_of_operands derivatives; do start properties_there "$long_one"; done
        fi
    fi
    start on_device emulated order=forward,timing=eager
    start on_device emulated order=forward,timing=late
    start on_device emulated order=random,timing=random,seed=$seed
    start on_device emulated order=forward,timing=late,device=small
    start on_device emulated order=reverse,timing=late cache
fi
if [ "$suite" != rest ]; then
    start without driver=none "no CUDA driver is loaded on this machine"
    start without driver=old "the CUDA driver supports version 11.0, this build needs"
    start without devices=0 "the CUDA driver finds no device"
fi
wait
for ((run = 1; run <= started; run++)); do
    if [ -e "$work/$run.passed" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    cat "$work/$run.log"
done
echo "note: seed $seed"
if [ "$skipped" -gt 0 ]; then echo "$passed passed, $failed failed, $skipped skipped"; else echo "$passed passed, $failed failed"; fi
