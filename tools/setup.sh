#!/usr/bin/env bash
# Installs what the build needs and this machine lacks (Debian packages; root or sudo). Does nothing when all is there.
#   --pytorch   also Debian's PyTorch (350 MB), with which test/python_client exchanges files
set -eu
missing=()
need() { [ -e "$1" ] || missing+=("${@:2}"); }
command -v g++ >/dev/null || missing+=(g++)
command -v python3 >/dev/null || missing+=(python3)
command -v b2 >/dev/null || missing+=(BOOST-tools-dev)
lib=/usr/lib/$(uname -m)-linux-gnu
# the headers, and at least those of 1.81
version=$(sed -n 's/^#define BOOST_VERSION //p' /usr/include/boost/version.hpp 2>/dev/null || true)
[ "${version:-0}" -ge 108100 ] || missing+=(BOOST-dev)
need "$lib/libboost_unit_test_framework.so" BOOST-test-dev # the linker name
need "$lib/libboost_iostreams.so" BOOST-iostreams-dev
need "$lib/libboost_program_options.so" BOOST-program-options-dev
need "$lib/libboost_json.so" BOOST-json-dev
need "$lib/openblas-openmp/libopenblas.so" libopenblas-openmp-dev
need "$lib/libsleef.so" libsleef-dev
need "$lib/libfftw3.so" libfftw3-dev # float64 and float32
need "$lib/libfftw3f.so" libfftw3-dev
need /usr/include/zlib.h zlib1g-dev
# what the test of the installed package uses
command -v cmake >/dev/null || missing+=(cmake)
command -v pkg-config >/dev/null || missing+=(pkg-config)
if [ "${1:-}" = --pytorch ]; then /usr/bin/python3 -c 'import torch, numpy' 2>/dev/null || missing+=(python3-torch python3-numpy); fi
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi
sudo=""
[ "$(id -u)" -eq 0 ] || sudo="sudo"
$sudo apt-get update -qq
# The newest Boost that is at least 1.81: the default where it is new enough, else the versioned packages.
boost=libboost
default=$(apt-cache policy libboost-dev | sed -n 's/ *Candidate: 1\.\([0-9]*\).*/\1/p')
if [ "${default:-0}" -lt 81 ]; then
    boost=$(apt-cache pkgnames libboost1. | sed -n 's/^\(libboost1\.[0-9]*\)-dev$/\1/p' | sort -V | tail -n 1)
fi
packages=()
for p in "${missing[@]}"; do
    p=${p/#BOOST/$boost}
    packages+=("$p")
done
echo "setup: installing ${packages[*]}"
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
