#!/usr/bin/env bash
# usage: gpu-day.sh [--emulated] [--minutes N] [OUT]
# What is done the day a GPU is at hand, in one go: the tests of the device, the bench rows, the reference cases, a
# training run and the examples, the graphs that cuDNN is asked for with the device's own description, compute-sanitizer
# over the tests. Writes OUT/gpu-day/report.md (OUT: out, as `b2 everything` left it) as it goes, what is worth most first; a
# step that cannot be taken says why, one that fails or hangs does not stop the others. Exit status 1 if one failed.
#   --minutes N  what there is of time: no step goes beyond it, and those for which none is left are named (30)
#   --emulated   the same over the emulated device, in small sizes: whether the script works, no figures
set -u
cd "$(dirname "$0")/.."
emulated='' minutes=30
while [ $# -gt 0 ]; do
    case $1 in
    --emulated) emulated=yes ;;
    --minutes) minutes=$2 && shift ;;
    *) break ;;
    esac
    shift
done
out=$(cd "${1:-out}" && pwd) || exit 2
here="$out/gpu-day"
mkdir -p "$here"
report="$here/report.md"
failed=0
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-4}
if [ -n "$emulated" ]; then
    export LD_LIBRARY_PATH="$out/emulated/lib" REEL_EMULATION=timing=late OMP_NUM_THREADS=1
    machine="the emulated device: no figure below says anything"
elif machine=$(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>&1); then :; else
    echo "gpu-day: no GPU: $machine" >&2
    exit 2
fi
{
    echo "# A day with a GPU"
    echo
    echo "$(date -u +%F), $(git rev-parse --short HEAD 2>/dev/null || echo "no checkout"), $machine"
    echo
    echo "| step | seconds | what came of it |"
    echo "| --- | ---: | --- |"
} >"$report"
last() { grep -av '^ *$' "$here/$1.log" | tail -n 1 | cut -c1-160 | tr '|' '/'; }
line() { printf '| %s | %s | %s |\n' "$1" "$2" "$3" | tee -a "$report"; }
step() { # step NAME SECONDS COMMAND...
    local name=$1 limit=$2 begin=$SECONDS status left=$((minutes * 60 - SECONDS))
    shift 2
    if [ "${1%%/*}" != "$1" ] && [ ! -x "$1" ]; then
        line "$name" 0 "skipped: there is no ${1#"$out"/}"
        return
    fi
    if [ "$left" -lt 5 ]; then
        line "$name" 0 "skipped: no time is left of $minutes minutes"
        return
    fi
    if [ "$limit" -gt "$left" ]; then limit=$left; fi
    timeout -k 10 "$limit" "$@" >"$here/$name.log" 2>&1 </dev/null
    status=$?
    if [ "$status" -eq 0 ]; then line "$name" $((SECONDS - begin)) "$(last "$name")"; else
        failed=$((failed + 1))
        if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then status="$status, no end within $limit s"; fi
        line "$name" $((SECONDS - begin)) "**status $status**: $(last "$name")"
    fi
}
appendix() { # appendix TITLE FILE
    if [ ! -s "$2" ]; then return; fi
    { printf '\n%s\n\n```text\n' "$1" && cat "$2" && printf '```\n'; } >>"$here/appendices"
}
rm -f "$here/appendices"

small=() epochs=6,4,6
if [ -n "$emulated" ]; then small=(--small) epochs=1,1,1; fi
reference=${REEL_REFERENCE:-../shared/oracle}
if [ ! -d "$reference/ops" ]; then reference=test/reference; fi
# a process for each suite, so that a kernel that breaks the device breaks one of them
suites=$("$out/bin/test_cuda" --list_content 2>&1 | sed -n 's/^\([a-z_]*\)\*\{0,1\}$/\1/p')
for suite in $suites; do step "tests-$suite" 600 "$out/bin/test_cuda" --run_test="$suite" --color_output=no; done
step bench 600 "$out/bin/reel-bench" --device cuda "${small[@]}"
appendix "The rows of the bench:" "$here/bench.log"
step reference 900 "$out/bin/oracle-replay" "$reference/ops" --device cuda --differences test/reference/differences.json
step digits 600 "$out/bin/digits" --device cuda --epochs "$epochs" --out "$here/digits"
for source in $(grep -l '"device.hpp"' examples/*.cpp); do
    name=$(basename "$source" .cpp)
    step "example-$name" 120 "$out/bin/$name" --device cuda
done

# --- what cuDNN is asked for: on the described device, and on this one as it describes itself
plans() {
    local library=${REEL_CUDNN:-libcudnn.so.9} home=${CUDA_HOME:-/usr/local/cuda} described=libs/cuda/emulation/devices/h200.json
    g++ -std=c++20 -isystem "$home/include" -o "$here/gate" test/cuda_plans/gate.cpp -ldl || return 1
    rm -f "$here/graphs"
    LD_LIBRARY_PATH="$out/emulated/lib" REEL_CUDNN_RECORD="$here/graphs" REEL_CUDA_ALLOCATOR=driver OMP_NUM_THREADS=1 \
        "$out/bin/test_cuda" --run_test=cuda_dnn,cuda_layers --color_output=no || return 1
    # as the described device's, for which a driver that does nothing stands in where there is none
    local drivers=""
    if [ -n "$emulated" ]; then
        g++ -std=c++20 -shared -fPIC -o "$here/libcuda.so.1" -Wl,-soname,libcuda.so.1 test/cuda_plans/driver.cpp || return 1
        drivers=$here
    fi
    LD_LIBRARY_PATH="$drivers:$home/lib64" "$here/gate" "$library" "$described" "$here/graphs" "$here/plans-described" || return 1
    if [ -n "$emulated" ]; then
        echo "no device describes itself here"
        return 0
    fi
    "$here/gate" "$library" --describe "$here/device.json" &&
        "$here/gate" "$library" "$here/device.json" "$here/graphs" "$here/plans-here" || return 1
    diff "$described" "$here/device.json" >"$here/description.diff"
    diff "$here/plans-described" "$here/plans-here" >"$here/plans.diff"
    echo "$(grep -c '^>' "$here/plans.diff") of $(wc -l <"$here/plans-here") plans have another engine or workspace"
}
export -f plans
export here out emulated
step plans 900 bash -c plans
appendix "Plans (number of the graph, engine, workspace in bytes), described device (<) and this one (>):" "$here/plans.diff"
appendix "Its description of itself (>) beside the one that the plan gate has (<):" "$here/description.diff"

# --- last, since it takes the longest. The driver's own memory, so that a stray access is one; cases that fail calls on
# purpose are no news
sanitizer=${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer
for tool in memcheck racecheck synccheck initcheck; do
    if [ -n "$emulated" ]; then
        line "$tool" 0 "skipped: the emulated device has its own watch"
    else
        REEL_CUDA_ALLOCATOR=driver step "$tool" 900 "$sanitizer" --tool "$tool" --error-exitcode 1 \
            "$out/bin/test_cuda" '--run_test=!cuda_bad_days:!cuda_lost_device' --color_output=no
    fi
done
{
    cat "$here/appendices" 2>/dev/null
    echo
    echo "$failed failed; the whole output of each step stands beside this file."
} >>"$report"
echo "$report: $failed failed"
[ "$failed" -eq 0 ]
