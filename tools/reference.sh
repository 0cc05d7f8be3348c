#!/usr/bin/env bash
# Builds the API reference and the table of ops into out/reference (or the folder given). Needs a build: `b2`.
set -eu
cd "$(dirname "$0")/.."
command -v doxygen >/dev/null || {
    echo "tools/reference.sh: doxygen is missing; on Debian: apt-get install doxygen" >&2
    exit 1
}
for needed in out/bin/op-table out/gen/include/reel/autograd/ops.hpp; do
    [ -e "$needed" ] || { echo "tools/reference.sh: $needed is not built yet: run b2" >&2 && exit 1; }
done
mkdir -p out/reference
# without a GPU the emulated device, where it was built, fills the column
if [ -e out/emulated/lib/libreel_cuda.so ] && ! nvidia-smi >/dev/null 2>&1; then emulated=out/emulated/lib; fi
OMP_NUM_THREADS=1 LD_LIBRARY_PATH="${emulated:-}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" out/bin/op-table >out/reference/ops.md
version=$(sed -n 's/^#define REEL_VERSION "\(.*\)".*/\1/p' libs/reel/include/reel/version.hpp)
{
    cat doc/reference/Doxyfile
    echo "PROJECT_NUMBER = $version"
    echo "INPUT += out/gen/include out/reference/ops.md"
} | doxygen -
complaints=$(wc -l <out/reference/warnings.txt)
echo "out/reference/html/index.html: $(grep -c '^| `' out/reference/ops.md) ops, $complaints complaints of doxygen (out/reference/warnings.txt)"
