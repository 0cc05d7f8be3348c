#!/usr/bin/env bash
# usage: run.sh OUT   the public surface in libtorch's words: every file here compiles.
set -u
cd "$(dirname "$0")/../.."
flags=(-std=c++20 -fsyntax-only -Wno-unused)
for folder in libs/*/include out/gen/include; do
    if [ -d "$folder" ]; then flags+=("-I$folder"); fi
done
check() { # check FILE FLAGS...: its name when it does not compile
    local file=$1
    shift
    "${CXX:-g++}" "$@" "$file" >/dev/null 2>&1 || echo "$file"
}
export -f check
files=(test/surface/*.cpp)
bad=$(printf '%s\n' "${files[@]}" | xargs -P 2 -I{} bash -c 'check "$@"' _ {} "${flags[@]}")
failed=0
for file in $bad; do
    failed=$((failed + 1))
    echo "$file does not compile:"
    "${CXX:-g++}" "${flags[@]}" "$file" 2>&1 | grep -E "error" | head -n 5
done
echo "$((${#files[@]} - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
