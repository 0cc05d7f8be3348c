#!/usr/bin/env bash
# usage: run.sh OUT   programs in libtorch's spelling, of our own, compile against torch/torch.h here (one namespace, one
# macro) and run to the end.
set -u
cd "$(dirname "$0")/../.."
out=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-std=c++20 -O1 -pthread -Itest/ports)
for folder in libs/*/include out/gen/include; do
    if [ -d "$folder" ]; then flags+=("-I$folder"); fi
done
links=(-L"$out/lib" -lreel_inspect -lreel_script -lreel_serialize -lreel_data -lreel_optim -lreel_nn -lreel_autograd
    -Wl,-rpath,"$out/lib" -Wl,-rpath-link,"$out/lib")
python3 test/ports/make_mnist.py "$work" 2000
passed=0 failed=0
for source in test/ports/*.cpp; do
    name=$(basename "$source" .cpp)
    if "${CXX:-g++}" "${flags[@]}" "$source" -o "$work/$name" "${links[@]}" >"$work/log" 2>&1 &&
        timeout 300 "$work/$name" "$work" >"$work/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$source:"
        grep -E "error" "$work/log" | head -n 5
        tail -n 5 "$work/log"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
