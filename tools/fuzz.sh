#!/usr/bin/env bash
# usage: tools/fuzz.sh [pickle|zip|safetensors|all] [SECONDS] [CORPUS...]
# Fuzzes the readers of files with libFuzzer and the address and undefined-behaviour sanitizers, SECONDS (60) for each
# target. Needs clang++ and an ordinary build in out/; only the readers and dicts are instrumented. Starts from
# test/fuzz/corpus, test/fixtures and the folders named; what it finds interesting is kept in out/fuzz/corpus.
set -eu
cd "$(dirname "$0")/.."
targets=${1:-all}
[ "$targets" != all ] || targets="pickle zip safetensors"
seconds=${2:-60}
shift $(($# < 2 ? $# : 2))
clang=$(command -v clang++-16 || command -v clang++) || { echo "tools/fuzz.sh: no clang++ (16 or newer)" >&2; exit 1; }
[ -e out/lib/libreel_autograd.so ] || { echo "tools/fuzz.sh: build first (b2)" >&2; exit 1; }
mkdir -p out/fuzz
# clang 16 has std::source_location, but does not say so to libstdc++
compile=("$clang" -std=c++20 -D__cpp_consteval=201811L -O1 -g -fsanitize=fuzzer-no-link,address,undefined
    -fno-sanitize-recover=undefined -Ilibs/autograd/include -Iout/gen/include -Ilibs/serialize/include -Ilibs/serialize/src)
objects=()
for source in libs/serialize/src/*.cpp libs/autograd/src/tensor/value*.cpp; do
    object=out/fuzz/$(basename "$source" .cpp).o
    objects+=("$object")
    # what does not exist yet makes find complain, which is a reason to compile, too
    [ -z "$(find "$source" libs/serialize libs/autograd/include \( -path "$source" -o -name '*.hpp' \) -newer "$object" 2>&1)" ] ||
        "${compile[@]}" -c "$source" -o "$object"
done
for target in $targets; do
    "${compile[@]}" -fsanitize=fuzzer "test/fuzz/$target.cpp" "${objects[@]}" -o "out/fuzz/$target" \
        -Lout/lib -lreel_autograd -lboost_json -lz "-Wl,-rpath,$PWD/out/lib"
done
for target in $targets; do
    mkdir -p "out/fuzz/corpus/$target"
    echo "fuzz: $target"
    "out/fuzz/$target" -max_total_time="$seconds" -max_len=65536 -timeout=20 -rss_limit_mb=2048 -detect_leaks=1 \
        -print_final_stats=1 -artifact_prefix="out/fuzz/$target-" \
        "out/fuzz/corpus/$target" "test/fuzz/corpus/$target" test/fixtures/pytorch-2.15 "$@" \
        >"out/fuzz/$target.log" 2>&1 || { tail -n 40 "out/fuzz/$target.log"; exit 1; }
    grep -E "^Done|^stat::" "out/fuzz/$target.log"
done
