#!/usr/bin/env bash
# usage: install.sh OUT PREFIX   copies headers, libraries, the pkg-config file and the CMake package below PREFIX.
# Called by `b2 install --prefix=PREFIX`. The installed tree may be moved: nothing in it names PREFIX.
set -eu
cd "$(dirname "$0")/../.."
out=$1 prefix=$2
version=$(sed -n 's/^#define REEL_VERSION "\(.*\)"/\1/p' libs/reel/include/reel/version.hpp)
series=${version%.*} # what shared libraries carry in their names: programs keep loading what they were linked with
mkdir -p "$prefix/include" "$prefix/lib/pkgconfig" "$prefix/lib/cmake/Reel"
for folder in libs/*/include out/gen/include; do
    if [ -d "$folder" ]; then cp -R "$folder/." "$prefix/include/"; fi
done
installed=""
for library in "$out"/lib/libreel_*.so."$series"; do
    # a new file, not the old one overwritten: running programs keep what they have mapped
    install -m 755 "$library" "$prefix/lib/"
    name=$(basename "$library" ".so.$series")
    ln -sfn "$name.so.$series" "$prefix/lib/$name.so" # what the linker asks for
    # the device, FFTW's transforms and MPI are asked for by name, never brought along
    case $name in libreel_cuda | libreel_fftw | libreel_mpi | libreel_nccl) ;; *) installed="$installed -l${name#lib}" ;; esac
done
if [ -x "$out/bin/reel-run" ]; then # starts the ranks of programs
    mkdir -p "$prefix/bin"
    install -m 755 "$out/bin/reel-run" "$prefix/bin/"
fi
fill() { sed -e "s|@VERSION@|$version|g" -e "s|@SERIES@|$series|g" -e "s|@LIBS@|${installed# }|g" "tools/install/$1.in" >"$2/$1"; }
fill reel.pc "$prefix/lib/pkgconfig"
if [ -e "$out/lib/libreel_fftw.so" ]; then fill reel_fftw.pc "$prefix/lib/pkgconfig"; else
    rm -f "$prefix/lib/libreel_fftw.so" "$prefix/lib/libreel_fftw.so.$series" "$prefix/lib/pkgconfig/reel_fftw.pc"
fi
if [ ! -e "$out/lib/libreel_mpi.so" ]; then rm -f "$prefix/lib/libreel_mpi.so" "$prefix/lib/libreel_mpi.so.$series"; fi
fill ReelConfig.cmake "$prefix/lib/cmake/Reel"
fill ReelConfigVersion.cmake "$prefix/lib/cmake/Reel"
echo "installed Reel $version in $prefix"
