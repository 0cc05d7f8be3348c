#!/usr/bin/env bash
# Training steps with the batch split over two ranks, beside one process with the whole of it; interleaved runs.
#   tools/bench-ranks.sh [--runs N] [--filter TEXT]
# REEL_PYTHON names a Python with PyTorch: its DistributedDataParallel over gloo is measured beside. Ranks come by
# mpirun where there is one and libreel_mpi was built, and by reel-run: through memory, as on one host, and over sockets.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=5 filter=ranks_
while [ $# -gt 0 ]; do
    case "$1" in
    --runs) runs="$2"; shift ;;
    --filter) filter="$2"; shift ;;
    *) sed -n '2,6p' "$0"; exit 2 ;;
    esac
    shift
done
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE # these may pin OpenBLAS to old instructions
out=out/bench-ranks; mkdir -p "$out"; rm -f "$out"/*.rows "$out"/*.log
bench=out/bin/reel-bench
ways=(one-1 one-2 memory sockets)
if [ -e out/lib/libreel_mpi.so ] && command -v mpirun >/dev/null; then ways+=(mpi); fi
if "${REEL_PYTHON:-false}" -c 'import torch' 2>"$out/peers.log"; then ways+=(pytorch-1 pytorch-2 gloo); fi
mpi=(mpirun -n 2 --bind-to none --oversubscribe)
if [ "$(id -u)" = 0 ]; then mpi+=(--allow-run-as-root); fi

run() { # way
    export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    case $1 in
    one-*) OMP_NUM_THREADS=${1#one-} OPENBLAS_NUM_THREADS=${1#one-} $bench "${1#one-}" "$filter" ;;
    memory) out/bin/reel-run -n 2 $bench 1 "$filter" ;;
    sockets) REEL_SHARED_MEMORY=0 out/bin/reel-run -n 2 $bench 1 "$filter" ;;
    mpi) "${mpi[@]}" $bench 1 "$filter" ;;
    pytorch-*) OMP_NUM_THREADS=${1#pytorch-} "$REEL_PYTHON" bench/peers/ranks.py "$filter" ;;
    gloo) "$REEL_PYTHON" -m torch.distributed.run --nproc-per-node 2 --standalone bench/peers/ranks.py "$filter" ;;
    esac 2>>"$out/errors.log"
}
for ((i = 0; i < runs; ++i)); do
    for way in "${ways[@]}"; do
        echo "run $((i + 1)) of $runs: $way" >&2
        run "$way" >>"$out/$way.rows" || echo "$way ended with status $?; see $out/errors.log" >&2
    done
done
python3 tools/ranks_table.py "$out" "${ways[@]}" | tee "$out/table.md"
