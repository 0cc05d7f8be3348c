#!/usr/bin/env bash
# usage: run.sh OUT   the table of ops: a row for every op, no cell that says "crashes", and what is known of a few.
# Ends with `N passed, N failed`.
set -u
out=$(cd "${1:?usage: run.sh OUT}" && pwd)
cd "$(dirname "$0")/../.."
table=$(mktemp)
trap 'rm -f "$table"' EXIT
OMP_NUM_THREADS=1 timeout 300 "$out/bin/op-table" >"$table"
status=$?
passed=0 failed=0
check() { # check WHAT COMMAND...
    local what=$1
    shift
    if "$@" >/dev/null 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "failed: $what"; fi
}
none() { ! grep -n "$@" "$table"; }
row() { grep -qF "$1" "$table"; }
check "it ends well" test "$status" -eq 0
check "it has a row for each op" test "$(grep -c '^| `' "$table")" -eq "$(sed -n 's/^\([0-9]*\) ops.*/\1/p' "$table")"
check "it has more than 600 rows" test "$(grep -c '^| `' "$table")" -gt 600
check "no op crashes" none "crashes"
check "every op has a sample" none "no sample"
check "mm" row '| `mm(Tensor input, Tensor mat2) -> Tensor` | rule: `MmBackward0` | yes | integral floating complex | cpu'
check "argmax has no gradient" row '| `argmax(Tensor input, int? dim=None, bool keepdim=False) -> Tensor` | none |  | bool integral floating | cpu'
check "composites are called so" row "| composite: "
check "fft takes no 16-bit floats" row '| rule: `FftBackward0` | yes | bool integral f32 f64 complex | cpu'
check "an alias stands with its op" row '`abs(Tensor input) -> Tensor`<br>also `absolute`'
"$out/bin/op-table" --kernels >"$table"
check "kernels are listed with their devices" row "| matmul | mm | cpu"
check "every header of kernels is among them" test "$(sed -n 's/^| \([a-z_]*\) .*/\1/p' "$table" | sort -u)" = "$(basename -s .hpp libs/autograd/include/reel/autograd/kernels/*.hpp | sort)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
