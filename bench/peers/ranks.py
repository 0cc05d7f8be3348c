"""The rows of bench/ranks.cpp by PyTorch's DistributedDataParallel over gloo.

usage: ranks.py FILTER                        one process, the whole batch (threads by OMP_NUM_THREADS)
       torchrun --nproc-per-node N ranks.py FILTER   the batch split over N ranks
"""
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

FILTER = sys.argv[1] if len(sys.argv) > 1 else ""
torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
torch.manual_seed(0)


def median_us(work, warm, times):
    for _ in range(warm):
        work()
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append((time.perf_counter() - start) * 1e6)
    return statistics.median(taken)


def slowest(us):
    t = torch.tensor(us, dtype=torch.float64)
    dist.all_reduce(t, dist.ReduceOp.MAX)
    return t.tolist()


def quartile(values, which):
    return sorted(values)[(len(values) - 1) * which // 4]


class Residual(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.way = nn.Sequential(nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU(),
                                 nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after))
        self.short = nn.Identity() if stride == 1 and before == after else nn.Sequential(
            nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x):
        return F.relu(self.way(x) + self.short(x))


def resnet20():
    widths = [16] * 4 + [32] * 3 + [64] * 3
    blocks = [Residual(a, b, 1 if a == b else 2) for a, b in zip(widths, widths[1:])]
    return nn.Sequential(nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), *blocks,
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.projections, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        rows, length, width = x.shape
        parts = self.projections(self.norms[0](x)).chunk(3, 2)
        q, k, v = (p.view(rows, length, self.heads, -1).transpose(1, 2) for p in parts)
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(rows, length, width))
        return x + self.down(F.gelu(self.up(self.norms[1](x))))


class Transformer(nn.Module):
    def __init__(self, words, length, width, layers, heads):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.layers = nn.Sequential(*(Layer(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, ix):
        return self.head(self.norm(self.layers(self.words(ix) + self.places(torch.arange(ix.shape[1])))))


def measure(name, model, optimizer, x, y, bucket_mb, times):
    if FILTER not in name:
        return

    def step(net):
        optimizer.zero_grad()
        out = net(x)
        F.cross_entropy(out.reshape(-1, out.shape[-1]), y.reshape(-1)).backward()
        optimizer.step()

    if not dist.is_initialized():
        print(f"{name:<44s} {median_us(lambda: step(model), 3, times):12.3f} us", flush=True)
        return
    n, rank = dist.get_world_size(), dist.get_rank()
    x, y = x.chunk(n)[rank].contiguous(), y.chunk(n)[rank].contiguous()
    ddp = nn.parallel.DistributedDataParallel(model, bucket_cap_mb=bucket_mb, broadcast_buffers=False,
                                              gradient_as_bucket_view=True)
    step(ddp)
    buckets, at = [], 0  # about those of DistributedDataParallel, from last to first
    for p in reversed(list(model.parameters())):
        at += p.numel()
        if 4 * at >= bucket_mb * 2**20:
            buckets.append(torch.zeros(at))
            at = 0
    buckets += [torch.zeros(at)] if at else []

    def alone():
        with ddp.no_sync():
            step(ddp)

    def reduce_all():
        for work in [dist.all_reduce(b, async_op=True) for b in buckets]:
            work.wait()

    taken = [[], [], []]  # in turns, as bench/ranks.cpp
    for turn in range(-2, times):
        for kind, work in enumerate((lambda: step(ddp), alone, reduce_all)):
            dist.barrier()
            us = median_us(work, 0, 1)
            if turn >= 0:
                taken[kind].append(us)
    whole, local, communication = (slowest(t) for t in taken)
    if rank == 0:
        for suffix, figures in (("", whole), ("_local", local), ("_communication", communication)):
            print(f"{name + suffix:<44s} {quartile(figures, 1):12.3f} us")
        seen = ddp._get_ddp_logging_data()  # means over some of the steps
        hidden = 100 * seen["avg_backward_compute_comm_overlap_time"] / max(1, seen["avg_backward_comm_time"])
        print(f"{name + '_hidden':<44s} {hidden:12.3f} %", flush=True)


def main():
    if "RANK" in os.environ:
        dist.init_process_group("gloo")
    for rows in (256, 2048):
        m = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
        measure(f"ranks_mlp_784-512-512-10_b{rows}_sgd", m, torch.optim.SGD(m.parameters(), lr=0.01, momentum=0.9),
                torch.randn(rows, 784), torch.randint(0, 10, (rows,)), 1, 31 if rows > 1000 else 61)
    m = resnet20()
    measure("ranks_resnet20_cifar_b64_sgd", m, torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9),
            torch.randn(64, 3, 32, 32), torch.randint(0, 10, (64,)), 0.1, 21)
    m = Transformer(128, 128, 256, 4, 8)
    measure("ranks_gpt_4L_256d_b16_t128_adamw", m, torch.optim.AdamW(m.parameters(), lr=3e-4),
            torch.randint(0, 128, (16, 128)), torch.randint(0, 128, (16, 128)), 1, 21)
    if dist.is_initialized():
        dist.destroy_process_group()


main()
