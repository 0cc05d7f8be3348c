#!/usr/bin/env python3
"""The table of tools/bench-ranks.sh: lower quartiles of each way's runs.

usage: ranks_table.py FOLDER WAY...
"""
import pathlib
import re
import statistics
import sys

TITLES = {"one-1": "1 process, 1 thread", "one-2": "1 process, 2 threads", "sockets": "2 ranks, sockets",
          "mpi": "2 ranks, MPI", "pytorch-1": "PyTorch, 1 thread", "pytorch-2": "PyTorch, 2 threads",
          "gloo": "PyTorch, 2 ranks, gloo"}


def rows(path):
    found = {}
    for line in path.read_text().splitlines():
        m = re.search(r"(ranks_\S+)\s+(-?[0-9.]+) (us|%)$", line)
        if m:
            found.setdefault(m.group(1), []).append(float(m.group(2)))
    return {name: statistics.quantiles(v, n=4)[0] if len(v) > 1 else v[0] for name, v in found.items()}


def main():
    folder, ways = pathlib.Path(sys.argv[1]), sys.argv[2:]
    found = {way: rows(folder / f"{way}.rows") for way in ways}
    print("| step, ms | " + " | ".join(TITLES[w] for w in ways) + " |")
    print("|---" * (len(ways) + 1) + "|")
    for name in found[ways[0]]:
        print(f"| {name} | " + " | ".join(f"{found[w][name] / 1e3:.2f}" if name in found[w] else "" for w in ways) + " |")
    print("\n| of two ranks | ranks | step, ms | times one thread | without communication | communication alone | hidden |")
    print("|---|---|---|---|---|---|---|")
    for way, alone in (("sockets", "one-1"), ("mpi", "one-1"), ("gloo", "pytorch-1")):
        for name, whole in found.get(way, {}).items():
            if f"{name}_local" not in found[way]:
                continue
            local, beside = found[way][f"{name}_local"], found[way][f"{name}_communication"]
            hidden = max(0.0, min(1.0, 1 - (whole - local) / beside))
            print(f"| {name} | {TITLES[way]} | {whole / 1e3:.2f} | {found[alone][name] / whole:.2f} | {local / 1e3:.2f} | "
                  f"{beside / 1e3:.2f} | {100 * hidden:.0f} % |")


if __name__ == "__main__":
    main()
