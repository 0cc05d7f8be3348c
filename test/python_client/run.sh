#!/usr/bin/env bash
# usage: run.sh OUT   files there and back between this build and a real PyTorch: what one writes, the other reads bit for
# bit, and training goes on where the other left it. Looks for a Python with torch in REEL_PYTHON, then Debian's
# python3-torch, then the benchmarks' environment. Ends with `N passed, N failed, N skipped`.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "$1" && pwd)
python=
for candidate in ${REEL_PYTHON:-/usr/bin/python3 python3 "$out/bench-venv/bin/python"}; do
    if command -v "$candidate" >/dev/null && "$candidate" -c 'import torch, numpy' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "note: no Python with torch and numpy (apt-get install python3-torch, or REEL_PYTHON=PROGRAM)"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$here/../.." || exit 1
includes=()
for lib in autograd nn optim data serialize; do includes+=("-Ilibs/$lib/include"); done
if ! "${CXX:-g++}" -std=c++20 -O0 -w -fopenmp "${includes[@]}" -Iout/gen/include "$here/client.cpp" -o "$work/client" \
    -L"$out/lib" -lreel_serialize -lreel_optim -lreel_nn -lreel_autograd "-Wl,-rpath,$out/lib" 2>"$work/log"; then
    head -n 20 "$work/log"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
export OMP_NUM_THREADS=1
mkdir "$work/files"
{
    "$python" "$here/client.py" write "$work/files" && # Python's files
        "$work/client" read "$work/files" &&           # read, and training goes on
        "$work/client" write "$work/files" &&          # ours
        "$python" "$here/client.py" read "$work/files" || echo "not ok: a program ended badly"
} >"$work/results" 2>"$work/log"
sed -n 's/^skipped /note: /p' "$work/results"
grep -v -e '^ok ' -e '^skipped ' "$work/results"
grep -q '^not ok' "$work/results" && tail -n 20 "$work/log"
passed=$(grep -c '^ok ' "$work/results")
failed=$(grep -c '^not ok' "$work/results")
skipped=$(grep -c '^skipped ' "$work/results")
echo "note: with torch $("$python" -c 'import torch; print(torch.__version__)')"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
