#!/usr/bin/env python3
"""Writes from_python.pt: a net that PyTorch trained for three epochs on the digits, and the losses of its next epoch.

    python3 examples/data/make_from_python.py      (needs PyTorch)
"""
import gzip
import pathlib

import torch
from torch import nn

HERE = pathlib.Path(__file__).resolve().parent


def main():
    torch.manual_seed(0)
    with gzip.open(HERE / "digits.csv.gz", "rt") as f:
        table = torch.tensor([[float(v) for v in line.split(",")] for line in f])
    images, target = table[:, :64] / 16, table[:, 64].long()
    net = nn.Sequential(nn.Linear(64, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 10))
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)

    def epoch():
        losses = []
        for i in range(0, 1500, 100):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(images[i:i + 100]), target[i:i + 100])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        schedule.step()
        return losses

    for _ in range(3):
        epoch()
    checkpoint = clone({"epoch": 3, "model": dict(net.state_dict()), "optimizer": optimizer.state_dict(),
                        "schedule": schedule.state_dict()})
    checkpoint["next_losses"] = epoch()
    torch.save(checkpoint, HERE / "from_python.pt")


def clone(value):
    """The state as it is now: state dicts share their tensors with the net."""
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, dict):
        return {k: clone(v) for k, v in value.items()}
    if isinstance(value, list):
        return [clone(v) for v in value]
    return value


if __name__ == "__main__":
    main()
