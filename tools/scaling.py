#!/usr/bin/env python3
"""The curve of doc/scaling.md: data parallelism on paper, from one rank's step and a network's figures.

usage: scaling.py            prints the tables of doc/scaling.md

A step is forward (a third of the arithmetic) and backward (two thirds), beside which buckets are reduced as they become
full. What is not hidden is what is left when backward ends, at least the last bucket.
"""
import math

# Published figures, one direction, per GPU.
NVLINK = 450e9        # bytes/s inside of a host of 8 (NVIDIA H100 SXM data sheet: 900 GB/s both ways)
NETWORK = 50e9        # bytes/s between hosts: one 400 Gbit/s adapter a GPU (NVIDIA DGX H100 data sheet)
LATENCY = 5e-6        # s for a step of a collective between hosts: adapter, switches and launch (assumed)
PEAK = 989e12         # bfloat16 operations/s without sparsity (NVIDIA H100 SXM data sheet)
USED = 0.4            # of the peak that training reaches (assumed)
PER_HOST = 8
BUCKET = 25 * 2**20   # bytes

# Measured: a rank's step without communication (`_local` of tools/bench-ranks.sh, two ranks of one core each), in
# seconds; its gradients in float32, in bytes; its part of the batch.
MEASURED = {"MLP, 1,024 rows a rank": (16.2e-3, 4 * 669706), "ResNet-20, 32 images a rank": (31.2e-3, 4 * 272474),
            "transformer of 4 layers, 1,024 tokens a rank": (124.4e-3, 4 * 3257856)}
ETHERNET = {"10 Gbit/s": 1.25e9, "100 Gbit/s": 12.5e9}  # bytes/s in one direction (IEEE 802.3ae, 802.3ba)
MESSAGE = 10e-6       # s that a rank takes to send or receive a message over TCP (assumed)


def all_reduce(size, ranks):
    """Seconds: halves inside of the hosts, and between them rings of an eighth each, or trees where that is faster."""
    inside = min(ranks, PER_HOST)
    hosts = math.ceil(ranks / PER_HOST)
    time = 2 * (inside - 1) / inside * size / NVLINK
    if hosts > 1:
        part = size / inside
        ring = 2 * (hosts - 1) / hosts * part / NETWORK + 2 * (hosts - 1) * LATENCY
        tree = 2 * part / NETWORK + 2 * math.ceil(math.log2(hosts)) * LATENCY
        time += min(ring, tree)
    return time


def step(parameters, tokens, ranks, bytes_each=2):
    """Seconds of arithmetic, of communication, and of the whole step; `tokens` are one rank's."""
    arithmetic = 6 * parameters * tokens / (PEAK * USED)
    if ranks == 1:
        return arithmetic, 0.0, arithmetic
    size = parameters * bytes_each
    buckets = max(1, math.ceil(size / BUCKET))
    communication = buckets * all_reduce(size / buckets, ranks)
    exposed = max(communication / buckets, communication - 2 / 3 * arithmetic)
    return arithmetic, communication, arithmetic + exposed


def table(title, parameters, tokens_of, worlds=(1, 8, 16, 64, 256, 1024)):
    print(f"\n{title}\n")
    print("| GPUs | arithmetic, ms | communication, ms | step, ms | efficiency |")
    print("|---|---|---|---|---|")
    alone = None
    for n in worlds:
        tokens = tokens_of(n)
        arithmetic, communication, whole = step(parameters, tokens, n)
        rate = n * tokens / whole
        alone = alone or rate
        print(f"| {n} | {arithmetic * 1e3:.2f} | {communication * 1e3:.2f} | {whole * 1e3:.2f} | "
              f"{100 * rate / (n * alone):.0f} % |")


def direct(size, ranks, network):
    """Seconds of Reel's own all_reduce over messages: each rank sends every other its share, and the sum of its own."""
    return 2 * (ranks - 1) / ranks * size / network + 4 * (ranks - 1) * MESSAGE


def measured_table(worlds=(2, 16, 64, 256, 1024)):
    """One core a rank, a host each: the share of the step without communication that is left."""
    print("\n### Weak: steps as measured on one core, a host a rank, over TCP\n")
    print("| model, step without communication | bucket | network |" + "".join(f" {n} ranks |" for n in worlds))
    print("|---" * (3 + len(worlds)) + "|")
    for name, (alone, size) in MEASURED.items():
        for bucket in (2**20, BUCKET):
            for network, rate in ETHERNET.items():
                shares = []
                for n in worlds:
                    buckets = math.ceil(size / bucket)
                    each = direct(size / buckets, n, rate)
                    exposed = max(each, buckets * each - 2 / 3 * alone)
                    shares.append(alone / (alone + exposed))
                cells = "".join(f" {100 * s:.0f} % |" for s in shares)
                print(f"| {name}, {alone * 1e3:.1f} ms | {bucket >> 20} MiB | {network} |{cells}")


def wall(parameters, ranks=1024):
    """The tokens a rank must have so that nine tenths of the arithmetic's rate are left."""
    tokens = 1
    while True:
        arithmetic, _, whole = step(parameters, tokens, ranks)
        if arithmetic / whole >= 0.9:
            return tokens
        tokens *= 2


if __name__ == "__main__":
    for name, parameters in (("125 million parameters", 125e6), ("1.3 billion parameters", 1.3e9)):
        table(f"Weak: {name}, 16,384 tokens a GPU", parameters, lambda n: 16384)
        table(f"Strong: {name}, 524,288 tokens in all", parameters, lambda n: 524288 // n)
        print(f"\nTokens a GPU for 90 % on 1,024 GPUs: {wall(parameters)}")
    measured_table()
