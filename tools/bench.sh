#!/usr/bin/env bash
# Times Reel and its peers side by side: interleaved runs, medians, ratios; 1 and 2 threads.
#   tools/bench.sh [--pypi] [--runs N] [--filter TEXT] [--ops]
# --pypi adds the newest PyTorch from PyPI (virtual environment under out/bench-venv, several GB).
# Needs ../shared/bench (the peers' programs) or REEL_PEERS=DIR; without them only Reel's own rows are printed.
# --ops times the calls that ops/ops.json of the peers lists instead, beside the newest PyTorch from PyPI.
# --filter rl_ measures what agents are made of, beside torchrl and gymnasium when REEL_RL_PYTHON names a Python that
# has both (pip install torchrl gymnasium).
# --filter script_ measures scripts: archives that Reel writes, and silero-vad's, beside libtorch (Debian's, where it is
# installed) and the PyTorch of REEL_PYTHON (else python3), from Python and, where its headers are, from C++.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=3 pypi=no filter= ops=no
while [ $# -gt 0 ]; do
    case "$1" in
    --pypi) pypi=yes ;;
    --runs) runs="$2"; shift ;;
    --filter) filter="$2"; shift ;;
    --ops) ops=yes pypi=yes ;;
    *) sed -n '2,10p' "$0"; exit 2 ;;
    esac
    shift
done
# These may pin OpenBLAS to old instructions.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
cpus=$(env -u OMP_NUM_THREADS nproc) # before a run pins it
out=out/bench; mkdir -p "$out"; rm -f "$out"/*.rows
peers=${REEL_PEERS:-../shared/bench}

tools/setup.sh >"$out/setup.log" 2>&1 || { tail -5 "$out/setup.log"; exit 1; }
b2 -j"$(nproc)" -d0 bench stage-libraries >"$out/build.log" 2>&1 || { tail -20 "$out/build.log"; exit 1; }

with_pypi() { # a Python that has the newest PyTorch
    venv=out/bench-venv
    [ -x $venv/bin/python ] || python3 -m venv $venv
    $venv/bin/python -c 'import torch' 2>/dev/null || $venv/bin/pip install -q torch numpy
}
if [ $ops = yes ]; then
    calls=$peers/ops/ops.json
    [ -f "$calls" ] || { echo "no $calls: set REEL_PEERS"; exit 1; }
    with_pypi
    for threads in 1 2; do
        [ "$threads" -le "$cpus" ] || continue
        export OMP_NUM_THREADS=$threads OPENBLAS_NUM_THREADS=$threads MKL_NUM_THREADS=$threads
        rm -f "$out"/ops-*-"$threads"-*.json
        for ((i = 0; i < runs; ++i)); do
            echo "threads $threads, run $((i + 1)) of $runs" >&2
            out/bin/reel-bench "$threads" --ops "$calls" --json "$out/ops-reel-$threads-$i.json" --seconds 0.1
            $venv/bin/python "$peers/ops/peer_ops.py" "$threads" "$out/ops-pytorch-$threads-$i.json" 0.1 "$calls"
        done
        echo "op sweep, $threads thread(s)"
        python3 tools/op_sweep_table.py "$calls" 60 "$out"/ops-reel-"$threads"-*.json -- \
            "$out"/ops-pytorch-"$threads"-*.json
    done
    exit 0
fi

programs=(reel)
if [[ $filter == rl_* ]]; then
    if [ -n "${REEL_RL_PYTHON:-}" ] && "$REEL_RL_PYTHON" -c 'import torchrl, gymnasium' 2>"$out/rl-peers.log"; then
        programs+=(gymnasium torchrl)
    else
        echo "REEL_RL_PYTHON is no Python with torchrl and gymnasium: Reel's own rows only"
    fi
elif [[ $filter == script_* ]]; then
    tools/fetch_silero.sh || true # without it, the row is left out
    OMP_NUM_THREADS=1 out/bin/reel-bench 1 "$filter" >/dev/null # writes the archives
    if [ -d /usr/include/torch ]; then
        g++ -O2 -std=c++17 bench/peers/scripts.cpp -I/usr/include/torch/csrc/api/include -ltorch -ltorch_cpu -lc10 \
            -o "$out/scripts_libtorch"
        programs+=(libtorch)
    fi
    if "${REEL_PYTHON:=python3}" -c 'import torch' 2>"$out/script-peers.log"; then
        base=$("$REEL_PYTHON" -c 'import torch, os; print(os.path.dirname(torch.__file__))')
        g++ -O2 -std=c++20 bench/peers/scripts.cpp -I"$base/include" -I"$base/include/torch/csrc/api/include" \
            -L"$base/lib" -Wl,--no-as-needed -ltorch -ltorch_cpu -lc10 -Wl,-rpath,"$base/lib" -o "$out/scripts_pypi" \
            2>>"$out/script-peers.log" && programs+=(pypi)
        programs+=(pytorch)
    fi
elif [ -f "$peers/peer_libtorch.cpp" ]; then
    if [ ! -d /usr/include/torch ]; then
        echo "installing libtorch-dev (the peer)"
        sudo=$([ "$(id -u)" = 0 ] || echo sudo)
        $sudo apt-get update -qq >/dev/null; $sudo apt-get install -y -qq libtorch-dev >/dev/null
    fi
    if [ ! -x "$out/peer_libtorch" ]; then
        g++ -O2 -std=c++17 "$peers/peer_libtorch.cpp" -I/usr/include/torch/csrc/api/include \
            -ltorch -ltorch_cpu -lc10 -o "$out/peer_libtorch"
    fi
    programs+=(libtorch)
    if [ $pypi = yes ]; then
        with_pypi
        base=$($venv/bin/python -c 'import torch, os; print(os.path.dirname(torch.__file__))')
        abi=$($venv/bin/python -c 'import torch; print(int(torch._C._GLIBCXX_USE_CXX11_ABI))')
        if [ ! -x "$out/peer_pypi" ]; then
            g++ -O2 -std=c++20 -D_GLIBCXX_USE_CXX11_ABI="$abi" "$peers/peer_libtorch.cpp" -I"$base/include" \
                -I"$base/include/torch/csrc/api/include" -L"$base/lib" -Wl,--no-as-needed -ltorch -ltorch_cpu -lc10 \
                -Wl,-rpath,"$base/lib" -o "$out/peer_pypi"
        fi
        programs+=(pypi python)
    fi
else
    echo "no peers' programs in $peers: Reel's own rows only"
fi

run() { # program threads
    export OMP_NUM_THREADS=$2 OPENBLAS_NUM_THREADS=$2
    case $filter/$1 in
    script_*/libtorch | script_*/pypi) "$out/scripts_$1" "$2" 2>>"$out/script-peers.log"; return ;;
    script_*/pytorch) "$REEL_PYTHON" bench/peers/scripts.py "$2" 2>>"$out/script-peers.log"; return ;;
    esac
    case $1 in
    reel) out/bin/reel-bench "$2" "$filter" ;;
    libtorch) "$out/peer_libtorch" "$2" ;;
    pypi) "$out/peer_pypi" "$2" ;;
    gymnasium | torchrl) "$REEL_RL_PYTHON" bench/peers/rl.py "$2" "$1" 2>>"$out/rl-peers.log" ;;
    python) out/bench-venv/bin/python "$peers/peer_pytorch.py" "$2" ;;
    esac
}
for threads in 1 2; do
    [ "$threads" -le "$cpus" ] || continue
    for ((i = 0; i < runs; ++i)); do
        for p in "${programs[@]}"; do
            echo "threads $threads, run $((i + 1)) of $runs: $p" >&2
            run "$p" "$threads" >>"$out/$p-$threads.rows"
        done
    done
done
unset OMP_NUM_THREADS OPENBLAS_NUM_THREADS
python3 tools/bench_table.py "$out" | tee "$out/table.md"
[[ $filter == rl_* || $filter == script_* ]] || tools/footprint.sh | tee "$out/footprint.txt"
