#!/usr/bin/env bash
# Sets up, builds, and trains a small network on the handwritten digits; arguments go to out/bin/digits (try --help).
set -eu
cd "$(dirname "$0")/.."
tools/setup.sh
if ! b2 -j"$(nproc)" -d1 stage-libraries stage-digits >out-build.log 2>&1; then
    grep -aE "error|failed|undefined reference" out-build.log | head -n 40 >&2
    echo "demo: the build failed; the whole output is in out-build.log" >&2
    exit 1
fi
rm -f out-build.log
out/bin/digits "$@"
