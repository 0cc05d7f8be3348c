#!/usr/bin/env bash
# usage: tools/fetch_silero.sh [FILE]
# Takes the archive of silero-vad 6.2.3 (a voice detector, MIT license, 2 MB) out of its wheel on PyPI and puts it at FILE
# (out/bench/scripts/silero_vad.pt), where `reel-bench 1 script_` and examples/22_voice.cpp look for it. Needs python3
# with pip; fails politely without a network.
set -eu
file=$(realpath -m "${1:-$(dirname "$0")/../out/bench/scripts/silero_vad.pt}")
sum=e1122837f4154c511485fe0b9c64455f7b929c96fbb8d79fbdb336383ebd3720
check() { echo "$sum  $file" | sha256sum --check --status 2>/dev/null; }
check && exit 0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m pip --retries 0 --timeout 8 download --quiet --no-deps --dest "$folder" silero-vad==6.2.3 >"$folder/log" 2>&1 ||
    { echo "tools/fetch_silero.sh: PyPI cannot be reached; nothing was fetched" >&2; exit 1; }
mkdir -p "$(dirname "$file")"
python3 -c 'import sys, zipfile
sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read("silero_vad/data/silero_vad.jit"))' "$folder"/*.whl >"$file"
check || { rm -f "$file"; echo "tools/fetch_silero.sh: the archive in the wheel is not the one that was expected" >&2; exit 1; }
