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
# A program asks for the series that it was linked with, by a name that it finds beside another series' files.
series=$(sed -n 's/^Version: \([0-9]*\.[0-9]*\).*/\1/p' "$prefix/lib/pkgconfig/reel.pc")
soname() { readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p'; }
each_has_its_name() {
    local library name count=0
    for library in "$prefix"/lib/libreel_*.so; do
        name=$(basename "$library").$series
        [ -L "$library" ] && [ "$(readlink "$library")" = "$name" ] && [ "$(soname "$library")" = "$name" ] || return 1
        count=$((count + 1))
    done
    [ "$count" -ge 9 ]
}
step "libraries are named by their series" each_has_its_name
# What users make from headers is nobody's to offer; what a source instantiates for them is (doc/adr/0072).
offers_its_own() {
    local library offered
    for library in "$prefix"/lib/libreel_*.so; do
        case $library in *_cuda.so | *_fftw.so | *_mpi.so) continue ;; esac
        offered=$(nm -D --defined-only "$library")
        ! grep -q ' W _ZNSt6vectorIN4reel6TensorESaIS1_EED[12]Ev$' <<<"$offered" || return 1
    done
    grep -q ' _ZNK4reel2nn9CloneableINS0_10LinearImplE' < <(nm -D --defined-only "$prefix/lib/libreel_nn.so")
}
step "libraries offer their own functions" offers_its_own
asked_by_series() { # asked_by_series PROGRAM
    readelf -d "$1" | grep -q "NEEDED.*\[libreel_autograd\.so\.$series\]" && ! readelf -d "$1" | grep "NEEDED.*\[libreel_.*\.so\]"
}
step "no text names the old prefix" bash -c '! grep -rIlF "first prefix" "$1"' _ "$prefix"
mkdir "$work/user"
cp "$here"/*.cpp "$here/CMakeLists.txt" "$work/user/"
cd "$work/user" || exit 1
step "cmake configures" cmake -S . -B build -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release
step "cmake builds" cmake --build build
step "program built by cmake runs" env -u LD_LIBRARY_PATH ./build/program
step "and asks for libraries by their series" asked_by_series ./build/program
step "one that links Reel::rl alone runs" env -u LD_LIBRARY_PATH ./build/agent
# Every library that a program loads is one of those whose terms were looked at (doc/adr/0021); FFTW's are not among them.
known='linux-vdso|ld-linux[a-z0-9-]*|libreel_(autograd|nn|optim|data|serialize|inspect|rl)|libopenblas|libsleef|libboost_[a-z_]+'
known="$known|lib(z|bz2|lzma|zstd)|lib(stdc\+\+|gcc_s|gomp|gfortran|quadmath)|lib(c|m|dl|pthread|rt)"
no_gpl() { # no_gpl PROGRAM
    ldd "$1" | sed 's/^[ \t]*//; s/ .*//; s|.*/||' >"$work/loaded"
    grep -q '^libreel_autograd\.so' "$work/loaded" && ! grep -vE "^($known)\.so[.0-9]*$" "$work/loaded"
}
step "a program that links Reel::reel asks for no GPL library" no_gpl ./build/program
# Nor does it load what it does not use: scripts, distributions, agents, ranks (doc/adr/0065).
what_it_uses() { # what_it_uses PROGRAM
    local used
    used=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[libreel_\(.*\)\.so.*/\1/p' | sort | xargs)
    echo "$used" && [ "$used" = autograd ]
}
step "and loads what it uses alone" what_it_uses ./build/program
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
step "pkg-config knows the version" pkg-config --atleast-version=0.1 reel
# shellcheck disable=SC2046
step "pkg-config builds" "${CXX:-g++}" -Wl,--no-as-needed program.cpp -o program $(pkg-config --cflags --libs reel)
# shellcheck disable=SC2046
step "headers give no warnings where a program asks for many" "${CXX:-g++}" -fsyntax-only -Wall -Wextra -Wpedantic \
    -Wshadow -Werror program.cpp $(pkg-config --cflags reel)
step "program built by pkg-config runs" env -u LD_LIBRARY_PATH ./program
step "nor does one by pkg-config" no_gpl ./program
step "which asks for libraries by their series, too" asked_by_series ./program
step "and loads what it uses alone, too" what_it_uses ./program
runs_beside_the_next() { # what the linker would take next is another series: what was linked before does not notice
    mkdir "$work/next" && cp -a "$prefix/lib" "$work/next/" && cp program "$work/next/" || return 1
    local library
    for library in "$work"/next/lib/libreel_*.so; do rm "$library" && echo "another series" >"$library" || return 1; done
    env LD_LIBRARY_PATH="$work/next/lib" "$work/next/program"
}
step "a program runs beside another series" runs_beside_the_next
if [ -e "$prefix/lib/libreel_fftw.so" ]; then
    step "FFTW takes its place in a program that links Reel::fftw" env -u LD_LIBRARY_PATH ./build/with_fftw
    # shellcheck disable=SC2046
    step "pkg-config builds with FFTW" "${CXX:-g++}" transforms.cpp -o transforms $(pkg-config --cflags --libs reel_fftw)
    step "FFTW takes its place there, too" env -u LD_LIBRARY_PATH ./transforms
else
    step "without FFTW there is no reel_fftw.pc" test ! -e "$prefix/lib/pkgconfig/reel_fftw.pc"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
