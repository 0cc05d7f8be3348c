#!/usr/bin/env bash
# usage: tools/fuzz.sh [SECONDS] [CORPUS...]
# Fuzzes the readers of files with libFuzzer and the address and undefined-behaviour sanitizers (needs clang++ and a build
# in out/). Starts from test/fixtures and the folders named; what it finds interesting is kept in out/fuzz.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
shift || true
clang=$(command -v clang++-16 || command -v clang++) || { echo "tools/fuzz.sh: no clang++ (16 or newer)" >&2; exit 1; }
mkdir -p out/fuzz/corpus
# clang 16 has std::source_location, but does not say so to libstdc++
includes="-Ilibs/autograd/include -Iout/gen/include -Ilibs/serialize/include -Ilibs/serialize/src"
for source in libs/serialize/src/*.cpp test/fuzz/files.cpp; do
    object=out/fuzz/$(basename "$source" .cpp).o
    [ "$object" -nt "$source" ] && continue
    "$clang" -std=c++20 -D__cpp_consteval=201811L -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined $includes -c "$source" -o "$object"
done
"$clang" -fsanitize=fuzzer,address,undefined out/fuzz/*.o -o out/fuzz/files -Lout/lib -lreel_autograd -lboost_json -lz "-Wl,-rpath,$PWD/out/lib"
exec out/fuzz/files -max_total_time="$seconds" -max_len=65536 -timeout=20 -rss_limit_mb=2048 -detect_leaks=1 -artifact_prefix=out/fuzz/ \
    out/fuzz/corpus test/fixtures/pytorch-2.15 "$@"
