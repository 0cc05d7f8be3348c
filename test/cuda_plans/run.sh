#!/usr/bin/env bash
# Every graph that the device's tests ask cuDNN for, judged by the real cuDNN, for a device that is described to it: no
# GPU is needed. What the stand-in computes and the real library refuses is a failure.
set -u
cd "$(dirname "$0")/../.."
out=$1
skip() {
    echo "note: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
[ -e "$out/emulated/lib/libreel_cuda.so" ] || skip "no headers of the CUDA toolkit, or no Boost.Context"
home=${CUDA_HOME:-/usr/local/cuda}
library=
for place in "${REEL_CUDNN:-}" "$home"/lib64/libcudnn.so.9 "$home"/lib/libcudnn.so.9 "$(ldconfig -p | sed -n 's/.*libcudnn.so.9 .*=> //p' | head -n 1)"; do
    if [ -z "$library" ] && [ -n "$place" ] && [ -e "$place" ]; then library=$place; fi
done
[ -n "$library" ] && [ -e "$home/include/cudnn.h" ] || skip "no cuDNN in $home or among the system's libraries (REEL_CUDNN names the file)"
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
LD_LIBRARY_PATH="$out/emulated/lib" REEL_CUDNN_RECORD="$work/graphs" REEL_CUDA_ALLOCATOR=driver OMP_NUM_THREADS=1 \
    timeout 300 "$out/bin/test_cuda" --color_output=no >"$work/log" 2>&1 || failed=$((failed + 1))
reference=../shared/oracle/ops
if [ ! -d "$reference" ]; then reference=test/reference/ops; fi
if [ -x "$out/bin/oracle-replay" ]; then
    LD_LIBRARY_PATH="$out/emulated/lib" REEL_CUDNN_RECORD="$work/graphs" REEL_CUDA_ALLOCATOR=driver OMP_NUM_THREADS=1 \
        timeout 600 "$out/bin/oracle-replay" "$reference" --device cuda >>"$work/log" 2>&1 || failed=$((failed + 1))
fi
[ "$failed" -eq 0 ] || tail -n 5 "$work/log"
# both runs may have asked for one graph
awk 'BEGIN { RS = "end\n" } !seen[$0]++ { printf "%send\n", $0 }' "$work/graphs" >"$work/unlike"
compiler=${CXX:-g++}
"$compiler" -std=c++20 -shared -fPIC -o "$work/libcuda.so.1" -Wl,-soname,libcuda.so.1 test/cuda_plans/driver.cpp &&
    "$compiler" -std=c++20 -isystem "$home/include" -o "$work/gate" test/cuda_plans/gate.cpp -ldl || failed=$((failed + 1))
judged=$(LD_LIBRARY_PATH="$work" timeout 900 "$work/gate" "$library" libs/cuda/emulation/devices/h200.json "$work/unlike" 2>&1)
count=$(sed -n 's/^cuDNN [0-9]*: \([0-9]*\) accepted, \([0-9]*\) refused$/\1 \2/p' <<<"$judged")
if [ -n "$count" ] && [ "${count% *}" -gt 0 ]; then
    passed=$((passed + ${count% *})) failed=$((failed + ${count#* }))
else failed=$((failed + 1)); fi
grep -A 20 refused: <<<"$judged" | head -n 60
echo "note: $(tail -n 1 <<<"$judged")"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
