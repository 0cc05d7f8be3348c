#!/usr/bin/env bash
# usage: run.sh OUT   installs into a fresh prefix, moves it, and builds a user's program with CMake and with pkg-config.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
step() { # step NAME COMMAND...
    local name=$1
    shift
    if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "install: $name failed"
        tail -n 20 "$work/log"
    fi
}
step "install" "$here/../../tools/install/install.sh" "$out" "$work/first prefix"
step "install again over itself" "$here/../../tools/install/install.sh" "$out" "$work/first prefix"
mv "$work/first prefix" "$work/moved" # what is installed must not know where it was
prefix=$work/moved
step "no text names the old prefix" bash -c '! grep -rIlF "first prefix" "$1"' _ "$prefix"
mkdir "$work/user"
cp "$here/program.cpp" "$here/CMakeLists.txt" "$work/user/"
cd "$work/user" || exit 1
step "cmake configures" cmake -S . -B build -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release
step "cmake builds" cmake --build build
step "program built by cmake runs" env -u LD_LIBRARY_PATH ./build/program
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
step "pkg-config knows the version" pkg-config --atleast-version=0.1 reel
# shellcheck disable=SC2046
step "pkg-config builds" "${CXX:-g++}" program.cpp -o program $(pkg-config --cflags --libs reel)
step "program built by pkg-config runs" env -u LD_LIBRARY_PATH ./program
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
