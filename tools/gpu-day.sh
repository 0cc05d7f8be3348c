#!/usr/bin/env bash
# usage: gpu-day.sh [--emulated] [OUT]
# What is done the day a GPU is at hand, in one go: the tests of the device, compute-sanitizer over them, the reference
# cases, the graphs that cuDNN is asked for, a training run, the bench rows. Writes OUT/gpu-day/report.md (OUT: out, as
# `b2 everything` left it); a step that cannot be taken says why, and the others go on. Exit status 1 if one failed.
#   --emulated   the same over the emulated device, in small sizes: whether the script works, no figures
set -u
cd "$(dirname "$0")/.."
emulated=
if [ "${1:-}" = --emulated ]; then
    emulated=yes
    shift
fi
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
    local name=$1 limit=$2 begin=$SECONDS status
    shift 2
    if [ "${1%%/*}" != "$1" ] && [ ! -x "$1" ]; then
        line "$name" 0 "skipped: there is no ${1#"$out"/}"
        return
    fi
    timeout "$limit" "$@" >"$here/$name.log" 2>&1
    status=$?
    if [ "$status" -eq 0 ]; then line "$name" $((SECONDS - begin)) "$(last "$name")"; else
        failed=$((failed + 1))
        line "$name" $((SECONDS - begin)) "**status $status**: $(last "$name")"
    fi
}

step tests 1800 "$out/bin/test_cuda" --color_output=no
# the driver's own memory, so that a stray access is one; cases that fail calls on purpose are no news
sanitizer=${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer
for tool in memcheck racecheck synccheck initcheck; do
    if [ -n "$emulated" ]; then
        line "$tool" 0 "skipped: the emulated device has its own watch"
    else
        REEL_CUDA_ALLOCATOR=driver step "$tool" 1800 "$sanitizer" --tool "$tool" --error-exitcode 1 \
            "$out/bin/test_cuda" '--run_test=!cuda_bad_days' --color_output=no
    fi
done
reference=${REEL_REFERENCE:-../shared/oracle}
if [ ! -d "$reference/ops" ]; then reference=test/reference; fi
step reference 1800 "$out/bin/oracle-replay" "$reference/ops" --device cuda --differences test/reference/differences.json
step plans 2400 bash test/cuda_plans/run.sh "$out"
small=()
epochs=6,4,6
if [ -n "$emulated" ]; then small=(--small) epochs=1,1,1; fi
step digits 1800 "$out/bin/digits" --device cuda --epochs "$epochs" --out "$here/digits"
step bench 1800 "$out/bin/reel-bench" --device cuda "${small[@]}"
{
    echo
    echo '```text'
    cat "$here/bench.log" 2>/dev/null
    echo '```'
    echo
    echo "$failed failed; the whole output of each step stands beside this file."
} >>"$report"
echo "$report: $failed failed"
[ "$failed" -eq 0 ]
