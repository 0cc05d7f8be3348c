#!/usr/bin/env bash
# Installs what the build needs and this machine lacks (Debian packages; root or sudo). Does nothing when all is there.
#   --pytorch   also Debian's PyTorch (350 MB), with which test/python_client exchanges files
#   --mpi       also OpenMPI and Boost.MPI, over which ranks talk that mpirun starts
#   --fresh     also debootstrap, with which tools/fresh.sh makes an empty system
#   --print     only prints, one a line, the packages that a machine without any of them would get
set -eu
pytorch="" mpi="" fresh="" print=""
for option in "$@"; do
    case "$option" in
    --pytorch) pytorch=1 ;;
    --mpi) mpi=1 ;;
    --fresh) fresh=1 ;;
    --print) print=1 ;;
    *)
        echo "usage: tools/setup.sh [--pytorch] [--mpi] [--fresh] [--print]" >&2
        exit 2
        ;;
    esac
done
sudo=""
[ "$(id -u)" -eq 0 ] || sudo="sudo"
lib=/usr/lib/$(uname -m)-linux-gnu

# What is missing, by what the build looks for. BOOST stands for the chosen version (see below).
missing=()
need() { # need TEST... -- PACKAGE...
    local condition=()
    while [ "$1" != -- ]; do condition+=("$1") && shift; done
    shift
    if [ -n "$print" ] || ! "${condition[@]}" >/dev/null 2>&1; then missing+=("$@"); fi
}
boost_is_new_enough() {
    local version
    version=$(sed -n 's/^#define BOOST_VERSION //p' /usr/include/boost/version.hpp)
    [ "${version:-0}" -ge 108100 ]
}
need command -v g++ -- g++
need command -v python3 -- python3
need command -v b2 -- libboost-tools-dev # one for all versions of Boost
need boost_is_new_enough -- BOOST-dev
need test -e "$lib/libboost_unit_test_framework.so" -- BOOST-test-dev # the linker name
need test -e "$lib/libboost_iostreams.so" -- BOOST-iostreams-dev
need test -e "$lib/libboost_program_options.so" -- BOOST-program-options-dev
need test -e "$lib/libboost_json.so" -- BOOST-json-dev
need test -e "$lib/openblas-openmp/libopenblas.so" -- libopenblas-openmp-dev
need test -e "$lib/libsleef.so" -- libsleef-dev
need test -e /usr/include/zlib.h -- zlib1g-dev
# the emulated device, which is built where the toolkit's headers are
if [ -e "${CUDA_HOME:-/usr/local/cuda}/include/cuda_runtime.h" ]; then
    need test -e "$lib/libboost_context.so" -- BOOST-context-dev
fi
# what the test of the installed package uses
need command -v cmake -- cmake
need command -v make -- make
need command -v pkg-config -- pkg-config
if [ -n "$pytorch" ]; then need /usr/bin/python3 -c 'import torch, numpy' -- python3-torch python3-numpy; fi
if [ -n "$mpi" ]; then
    need test -e "$lib/libboost_mpi.so" -- BOOST-mpi-dev
    need command -v mpicxx -- libopenmpi-dev
    need command -v mpirun -- openmpi-bin
fi
if [ -n "$fresh" ]; then need command -v debootstrap -- debootstrap; fi
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

# Runs a step whose output only matters when it fails.
quietly() {
    local log status=0
    log=$(mktemp)
    "$@" >"$log" 2>&1 || status=$?
    if [ "$status" -ne 0 ]; then
        cat "$log" >&2
        echo "setup: '$*' failed with exit status $status; what it printed stands above" >&2
    fi
    rm -f "$log"
    return "$status"
}
if [ -z "$print" ]; then quietly $sudo apt-get update; fi

# The newest Boost that is at least 1.81: the default where it is new enough, else the versioned packages
# (Debian 12: libboost1.81-dev, libboost-json1.81-dev, ...).
version=""
default=$(apt-cache policy libboost-dev | sed -n 's/ *Candidate: 1\.\([0-9]*\).*/\1/p')
if [ "${default:-0}" -lt 81 ]; then
    version=$(apt-cache pkgnames libboost1. | sed -n 's/^libboost\(1\.[0-9]*\)-dev$/\1/p' | sort -V | tail -n 1)
    if [ -z "$version" ] || [ "${version#1.}" -lt 81 ]; then
        echo "setup: apt knows no Boost of at least 1.81 (its default is 1.${default:-?}); Debian 12 and later have one" >&2
        exit 1
    fi
fi
packages=()
for p in "${missing[@]}"; do
    case "$p" in
    BOOST-dev) p=libboost$version-dev ;;
    BOOST-*-dev) p=${p#BOOST-} p=libboost-${p%-dev}$version-dev ;;
    esac
    packages+=("$p")
done
if [ -n "$print" ]; then
    printf '%s\n' "${packages[@]}"
    exit 0
fi
echo "setup: installing ${packages[*]}"
quietly $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${packages[@]}"
