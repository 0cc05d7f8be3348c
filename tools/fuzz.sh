#!/usr/bin/env bash
# usage: tools/fuzz.sh [pickle|zip|safetensors|source|archive|exported|all] [SECONDS] [CORPUS...]
# Fuzzes the readers of files and of scripts with libFuzzer and the address and undefined-behaviour sanitizers, SECONDS
# (60) for each target. Needs clang++ and an ordinary build in out/; only the readers and dicts, for the last three also
# libs/script, are instrumented. Starts from test/fuzz/corpus, test/fixtures and the folders named; what it finds
# interesting is kept in out/fuzz/corpus. FUZZ_JOBS compilers run at once (2).
set -eu
cd "$(dirname "$0")/.."
targets=${1:-all}
[ "$targets" != all ] || targets="pickle zip safetensors source archive exported"
seconds=${2:-60}
shift $(($# < 2 ? $# : 2))
clang=""
for candidate in clang++ clang++-{16..24}; do
    version=$("$candidate" -dumpversion 2>/dev/null) || continue
    if [ "${version%%.*}" -ge 16 ]; then clang=$candidate && break; fi
done
[ -n "$clang" ] || { echo "tools/fuzz.sh: no clang++ (16 or newer; Debian's package is clang-16)" >&2; exit 1; }
[ -e out/lib/libreel_autograd.so ] || { echo "tools/fuzz.sh: build first (b2)" >&2; exit 1; }
mkdir -p out/fuzz
# clang 16 has std::source_location, but does not say so to libstdc++
compile=("$clang" -std=c++20 -D__cpp_consteval=201811L -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined
    -fno-sanitize-recover=undefined -Iout/gen/include -Ilibs/serialize/src -Ilibs/script/src)
for library in autograd nn serialize script; do compile+=("-Ilibs/$library/include"); done

object_of() { echo "out/fuzz/$(echo "${1#libs/}" | tr / -).o"; }
"${compile[@]}" -x c++-header libs/autograd/src/pch.hpp -o out/fuzz/pch.hpp.pch
# compile_all FOLDERS SOURCE...: what is older than itself, or than a header in the folders
compile_all() {
    local folders=$1 source object
    shift
    for source in "$@"; do
        object=$(object_of "$source")
        # what does not exist yet makes find complain, which is a reason to compile, too
        # shellcheck disable=SC2086
        [ -z "$(find "$source" $folders \( -path "$source" -o -name '*.hpp' \) -newer "$object" 2>&1)" ] ||
            echo "${compile[*]} -include-pch out/fuzz/pch.hpp.pch -c $source -o $object"
    done | xargs -r -P "${FUZZ_JOBS:-2}" -I{} sh -c '{}'
}
readers=(libs/serialize/src/*.cpp libs/autograd/src/tensor/value*.cpp)
mapfile -t scripts < <(find libs/script/src -name '*.cpp')
compile_all "libs/serialize libs/autograd/include" "${readers[@]}"
for target in $targets; do
    sources=("${readers[@]}") libraries=(-lreel_autograd)
    case $target in
    source | archive | exported)
        compile_all "libs/script libs/serialize libs/nn/include libs/autograd/include" "${scripts[@]}"
        sources+=("${scripts[@]}") libraries=(-lreel_nn -lreel_autograd)
        ;;
    esac
    mapfile -t objects < <(for source in "${sources[@]}"; do object_of "$source"; done)
    "${compile[@]}" -fsanitize=fuzzer "test/fuzz/$target.cpp" "${objects[@]}" -o "out/fuzz/$target" \
        -Lout/lib "${libraries[@]}" -lboost_json -lz "-Wl,-rpath,$PWD/out/lib"
done
for target in $targets; do
    fixtures=test/fixtures/pytorch-2.15
    case $target in source | archive | exported) fixtures=test/fixtures/script ;; esac
    mkdir -p "out/fuzz/corpus/$target"
    echo "fuzz: $target"
    "out/fuzz/$target" -max_total_time="$seconds" -max_len=65536 -timeout=20 -rss_limit_mb=2048 -detect_leaks=1 \
        -print_final_stats=1 -artifact_prefix="out/fuzz/$target-" \
        "out/fuzz/corpus/$target" "test/fuzz/corpus/$target" "$fixtures" "$@" \
        >"out/fuzz/$target.log" 2>&1 || { tail -n 40 "out/fuzz/$target.log"; exit 1; }
    grep -E "^Done|^stat::" "out/fuzz/$target.log"
done
