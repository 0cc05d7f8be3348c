#!/usr/bin/env python3
"""The table of tools/bench-ranks.sh: lower quartiles of each way's runs.

usage: ranks_table.py FOLDER WAY...
"""
import pathlib
import re
import statistics
import sys

TITLES = {"one-1": "1 process, 1 thread", "one-2": "1 process, 2 threads", "memory": "2 ranks, memory",
          "sockets": "2 ranks, sockets", "mpi": "2 ranks, MPI", "pytorch-1": "PyTorch, 1 thread", "pytorch-2": "PyTorch, 2 threads",
          "gloo": "PyTorch, 2 ranks, gloo"}


def rows(path):
    found = {}
    for line in path.read_text().splitlines():
        m = re.search(r"(ranks_\S+)\s+(-?[0-9.]+) (us|%|MiB)$", line)
        if m:
            found.setdefault(m.group(1), []).append(float(m.group(2)))
    middle = {name: statistics.median(v) for name, v in found.items() if "_hidden" in name}
    return {name: statistics.quantiles(v, n=4)[0] if len(v) > 1 else v[0] for name, v in found.items()} | middle


def main():
    folder, ways = pathlib.Path(sys.argv[1]), sys.argv[2:]
    found = {way: rows(folder / f"{way}.rows") for way in ways}
    print("| step, ms | " + " | ".join(TITLES[w] for w in ways) + " |")
    print("|---" * (len(ways) + 1) + "|")
    for name in found[ways[0]]:
        if "_memory_" in name:
            continue
        print(f"| {name} | " + " | ".join(f"{found[w][name] / 1e3:.2f}" if name in found[w] else "" for w in ways) + " |")
    print("\n| of two ranks | ranks | step, ms | times one thread | without communication, ms | that, times one thread | "
          "communication alone, ms | hidden behind backward (half of the steps) |")
    print("|---" * 8 + "|")
    for way, alone in (("memory", "one-1"), ("sockets", "one-1"), ("mpi", "one-1"), ("gloo", "pytorch-1")):
        for name, whole in found.get(way, {}).items():
            if f"{name}_local" not in found[way]:
                continue
            local, beside = found[way][f"{name}_local"], found[way][f"{name}_communication"]
            hidden = [found[way][f"{name}_hidden{part}"] for part in ("", "_lower_quartile", "_upper_quartile")
                      if f"{name}_hidden{part}" in found[way]]
            share = " to ".join(f"{h:.0f}" for h in hidden[1:])
            share = f"{hidden[0]:.0f} %" + (f" ({share})" if share else "") if hidden else ""
            print(f"| {name} | {TITLES[way]} | {whole / 1e3:.2f} | {found[alone][name] / whole:.2f} | {local / 1e3:.2f} | "
                  f"{found[alone][name] / local:.2f} | {beside / 1e3:.2f} | {share} |")
    for way in ("memory", "sockets", "mpi"): # the same everywhere: the first that was run
        kept = {name: v for name, v in found.get(way, {}).items() if "_memory_" in name}
        if not kept:
            continue
        alone = found["one-1"].get("ranks_memory_replicated", 0)
        print(f"\n| memory of a rank of two ({alone:.1f} MiB in one process) | MiB behind a step | at most during one |")
        print("|---|---|---|")
        for name, v in kept.items():
            if not name.endswith("_peak"):
                print(f"| {name} | {v:.1f} | {kept[name + '_peak']:.1f} |")
        break


if __name__ == "__main__":
    main()
