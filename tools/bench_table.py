#!/usr/bin/env python3
"""Medians and ratios of the rows that tools/bench.sh collected, as a Markdown table per thread count.

A row's floor is its bytes at the speed of a copy, or its products at that of a large one, as the bench measured them.
"""
import pathlib
import re
import statistics
import sys

PEERS = ("libtorch", "pypi", "pytorch", "gymnasium", "torchrl")


def rows(path):
    found, units = {}, {}
    for line in path.read_text().splitlines():
        m = re.match(r"(\S+)\s+([0-9.]+) (us|ns|bytes)$", line)
        if m:
            found.setdefault(m.group(1), []).append(float(m.group(2)))
            units[m.group(1)] = m.group(3)
    return {k: statistics.median(v) for k, v in found.items()}, units


def main():
    folder = pathlib.Path(sys.argv[1])
    for threads in (1, 2):
        if not (folder / f"reel-{threads}.rows").exists():
            continue
        reel, units = rows(folder / f"reel-{threads}.rows")
        peers = {p: rows(folder / f"{p}-{threads}.rows")[0] for p in PEERS if (folder / f"{p}-{threads}.rows").exists()}
        python = folder / f"python-{threads}.rows"
        python = rows(python)[0] if python.exists() else {}
        names = [p for p in PEERS if p in peers]
        print(f"\n{threads} thread{'s' if threads > 1 else ''}, medians\n")
        print("| row | Reel | " + " | ".join(names) + " | best peer / Reel | floor |")
        print("| --- " * (4 + len(names)) + "|")
        for name, value in reel.items():
            if name.endswith(".floor"):
                continue
            others = [peers[p].get(name) for p in names]
            best = min([o for o in others if o] + [v for k, v in python.items() if k.startswith("adamw") and
                                                   name.startswith("adamw")], default=None)
            cells = [f"{o:,.2f}" if o else "" for o in others]
            ratio = f"{best / value:.2f}" if best and value else ""
            least = reel.get(name + ".floor")
            floor = f"{least:,.0f}" if least else ""
            print(f"| {name} | {value:,.2f} {units[name]} | " + " | ".join(cells + [ratio, floor]) + " |")
        for name, value in python.items():
            print(f"| {name} (Python) | | " + " | ".join([""] * len(names)) + f" | {value:,.2f} us | |")


if __name__ == "__main__":
    main()
