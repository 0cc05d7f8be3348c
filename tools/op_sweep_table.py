"""Compares the op sweep's figures of Reel and PyTorch.

usage: op_sweep_table.py OPS.json ROWS REEL.json... -- PYTORCH.json...
Several files of a side are several runs of the same calls: the least of each figure counts. Prints geometric means of
PyTorch's time over Reel's by dtype, forward and with backward, and the ROWS rows in which Reel is slowest.
"""
import json
import math
import sys


def least(paths):
    """For each call [forward, both]; None where a figure is missing or the call failed."""
    runs = [json.load(open(path)) for path in paths]
    out = []
    for rows in zip(*runs):
        figures = []
        for k in (0, 1):
            known = [r[k] for r in rows if r[0] != "err" and len(r) > k and r[k]]
            figures.append(min(known) if len(known) == len(rows) else None)
        out.append(figures)
    return out


def argument(a):
    if isinstance(a, list):
        return "[" + ",".join(map(argument, a)) + "]"
    if not isinstance(a, dict):
        return str(a)
    if "dtype" in a:
        return a["dtype"]
    dtype = "" if a["d"] == "f32" else ":" + a["d"]
    return "x".join(map(str, a["T"])) + dtype + (".t" if a.get("v") else "")


def dtypes(a):
    if isinstance(a, list):
        return [d for x in a for d in dtypes(x)]
    return [a["d"]] if isinstance(a, dict) and "d" in a else []


def group(call):
    """The floating dtype that the call is about; transposed operands apart."""
    text = json.dumps(call["args"])
    if '"v": "t"' in text:
        return "f32 transposed"
    floats = [d for d in dtypes(call["args"]) if d in ("bf16", "f16", "f64")]
    small = all(math.prod(a["T"]) <= 4096 for a in call["args"] if isinstance(a, dict) and "T" in a)
    if floats:
        return floats[0]
    return "f32 small" if small and dtypes(call["args"]) else "f32"


def main():
    calls = json.load(open(sys.argv[1]))
    split = sys.argv.index("--")
    reel, peer = least(sys.argv[3:split]), least(sys.argv[split + 1:])
    ratios, rows, missing = {}, [], []
    for call, r, p in zip(calls, reel, peer):
        name = call["name"] + "(" + ",".join(map(argument, call["args"])) + ")"
        if r[0] is None or p[0] is None:
            missing.append(name + (": no figure of Reel" if r[0] is None else ": no figure of PyTorch"))
        for k, what in ((0, "forward"), (1, "with backward")):
            if r[k] and p[k]:
                ratios.setdefault((group(call), what), []).append(p[k] / r[k])
                rows.append((p[k] / r[k], name + " " + what, r[k], p[k]))
    for (dtype, what), all_of in sorted(ratios.items()):
        mean = math.exp(sum(map(math.log, all_of)) / len(all_of))
        print(f"{dtype:15} {what:14} PyTorch/Reel {mean:6.2f} over {len(all_of):3}; below 1.0: "
              f"{sum(x < 1 for x in all_of):3}, below 0.8: {sum(x < 0.8 for x in all_of):3}")
    for line in missing:
        print(line)
    for ratio, name, r, p in sorted(rows)[:int(sys.argv[2])]:
        print(f"{ratio:6.2f}  {name:78} reel {r:10.1f} us  PyTorch {p:10.1f} us")


if __name__ == "__main__":
    main()
