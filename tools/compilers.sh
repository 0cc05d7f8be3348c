#!/usr/bin/env bash
# usage: tools/compilers.sh [PREFIX]   builds a program against the headers and libraries installed in PREFIX (default: what
# out/lib holds, installed into a folder that is thrown away) with every g++ and clang++ in PATH, warnings on, and prints a
# table: compiler, whether the headers compile, warnings, whether the program links and runs.
# REEL_COMPILERS names others: `REEL_COMPILERS="g++-13 clang++-17"`.
set -u
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=${1:-}
if [ -z "$prefix" ]; then
    prefix=$work/prefix
    tools/install/install.sh out "$prefix" >"$work/log" || { cat "$work/log"; exit 1; }
fi
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
compilers=${REEL_COMPILERS:-$(IFS=:; for folder in $PATH; do ls "$folder" 2>/dev/null; done | grep -xE '(g|clang)\+\+-[0-9]+' | sort -uV)}
read -r -a flags <<<"$(pkg-config --cflags reel)"
read -r -a libraries <<<"$(pkg-config --libs reel)"
sources=(examples/02_training_loop.cpp examples/05_custom_function.cpp)
failed=0
echo "| compiler | headers | warnings | program |"
echo "| --- | --- | --- | --- |"
for compiler in $compilers; do
    version=$("$compiler" -dumpfullversion 2>/dev/null || "$compiler" -dumpversion)
    headers=compile warnings=0
    for source in "${sources[@]}"; do
        if ! "$compiler" -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow "${flags[@]}" "$source" >"$work/log" 2>&1; then
            headers="$(grep -m 1 'error' "$work/log" | sed 's/.*error: //' | tr '|' '/' | cut -c1-80)"
            break
        fi
        warnings=$((warnings + $(grep -c 'warning:' "$work/log")))
    done
    program="does not link"
    if [ "$headers" = compile ] && "$compiler" -O1 test/install/program.cpp -o "$work/program" "${flags[@]}" "${libraries[@]}" \
        >"$work/log" 2>&1; then
        program="fails"
        if [ "$("$work/program")" = 12 ]; then program=runs; fi
    fi
    if [ "$headers" != compile ]; then warnings=- program=-; fi
    if [ "$program" != runs ]; then failed=1; fi
    echo "| ${compiler%-*} $version | $headers | $warnings | $program |"
done
exit $failed
