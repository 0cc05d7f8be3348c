"""Writes files with torch.save, or reads what Reel wrote.

usage: client.py write|read FOLDER

What a file holds is also said in a list beside it, `python.expect` or `reel.expect`, one line per value:
FILE|PATH|KIND|... with PATH as steps `s:KEY`, `i:KEY` (an int key) and `[N]`, joined by `/`.
"""
import collections
import inspect
import io
import os
import pickle
import sys

import numpy as np
import torch

DTYPES = ["uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
          "complex128", "bool"]
# class, arguments; all that the oldest supported release has
OPTIMIZERS = {
    "sgd": ("SGD", dict(lr=0.05)),
    "sgd_nesterov": ("SGD", dict(lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.01)),
    "adam": ("Adam", dict(lr=0.01)),
    "adam_amsgrad": ("Adam", dict(lr=0.01, betas=(0.8, 0.99), amsgrad=True, weight_decay=0.01)),
    "adamw": ("AdamW", dict(lr=0.01, weight_decay=0.1)),
    "rmsprop": ("RMSprop", dict(lr=0.01, momentum=0.5, centered=True)),
    "adagrad": ("Adagrad", dict(lr=0.05, lr_decay=0.01)),
    "adadelta": ("Adadelta", dict(lr=1.0)),
    "adamax": ("Adamax", dict(lr=0.01)),
    "nadam": ("NAdam", dict(lr=0.01)),
    "radam": ("RAdam", dict(lr=0.01)),
    "rprop": ("Rprop", dict(lr=0.01)),
}
# the releases whose NAdam squares one of its factors (mu_product * mu * mu_next) have no values to compare with
OUTDATED = [] if "decoupled_weight_decay" in inspect.signature(torch.optim.NAdam).parameters else ["nadam"]
SCHEDULERS = {
    "sgd_nesterov": ("StepLR", dict(step_size=2, gamma=0.5)),
    "adam": ("CosineAnnealingLR", dict(T_max=7)),
    "adamw": ("ExponentialLR", dict(gamma=0.9)),
}
RESTRICTED = "weights_only" in inspect.signature(torch.load).parameters


def restricted_loader_takes(value):
    """The first releases of the restricted loader refuse floats, also in files of their own."""
    stream = io.BytesIO()
    torch.save(value, stream)
    stream.seek(0)
    try:
        torch.load(stream, weights_only=True)
        return True
    except pickle.UnpicklingError:
        return False


TAKES_FLOATS = RESTRICTED and restricted_loader_takes([0.5])


def load(path):
    if not RESTRICTED:
        return torch.load(path)
    try:
        return torch.load(path, weights_only=True)
    except pickle.UnpicklingError:
        if TAKES_FLOATS:
            raise
        return torch.load(path)


def raw(t):
    """The elements in row-major order, as bytes."""
    t = t.detach().contiguous().clone()
    if t.dtype == torch.bfloat16:
        t = t.view(torch.int16)
    return t.numpy().tobytes()


def memory(t):
    return (t.untyped_storage() if hasattr(t, "untyped_storage") else t.storage()).data_ptr()


def describe(value, path=()):
    """The lines KIND|... of a value, each with its path."""
    where = "/".join(path)
    if isinstance(value, torch.Tensor):
        shape = ",".join(map(str, value.shape))
        stride = ",".join(map(str, value.stride()))
        yield where, "tensor|%s|%s|%s|%d|%d|%s" % (str(value.dtype)[6:], shape, stride, value.storage_offset(),
                                                   value.requires_grad, raw(value).hex())
    elif isinstance(value, dict):
        yield where, "dict|%d" % len(value)
        for k, v in value.items():
            yield from describe(v, path + (("s:" if isinstance(k, str) else "i:") + str(k),))
    elif isinstance(value, (list, tuple)):
        yield where, "%s|%d" % ("list" if isinstance(value, list) else "tuple", len(value))
        for i, v in enumerate(value):
            yield from describe(v, path + ("[%d]" % i,))
    elif value is None:
        yield where, "none"
    elif isinstance(value, bool):
        yield where, "bool|%d" % value
    elif isinstance(value, int):
        yield where, "int|%d" % value
    elif isinstance(value, float):
        yield where, "float|%s" % np.array(value, "<f8").tobytes().hex()
    elif isinstance(value, str):
        yield where, "str|%s" % value.encode().hex()
    else:
        raise TypeError("%s: %r" % (where, value))


def network():
    # no bias before the normalisation: its gradient would be nothing but rounding
    first = torch.nn.Linear(4, 8, bias=False)
    return torch.nn.Sequential(first, torch.nn.BatchNorm1d(8), torch.nn.Tanh(), torch.nn.Linear(8, 3))


def step(net, optimizer, scheduler, x, y):
    optimizer.zero_grad()
    ((net(x) - y) ** 2).mean().backward()
    optimizer.step()
    if scheduler:
        scheduler.step()


def write(folder):
    torch.manual_seed(0)
    lines = []

    def save(value, name, **options):
        torch.save(value, os.path.join(folder, name), **options)
        lines.extend("%s|%s|%s" % (name, path, line) for path, line in describe(value))

    for legacy in (False, True):
        options = {"_use_new_zipfile_serialization": not legacy}
        kind = "legacy" if legacy else "zip"
        tensors = {}
        for d in DTYPES:
            dtype = getattr(torch, d)
            x = torch.randn(3, 4, 5, dtype=torch.float64) * 50
            tensors[d] = (x > 0) if d == "bool" else torch.complex(x, -x).to(dtype) if dtype.is_complex else x.to(dtype)
            tensors[d + " scalar"] = tensors[d][1, 2, 3].clone()
            tensors[d + " empty"] = tensors[d][:0].clone()
        tensors["special"] = torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0, 1e-45])
        save(tensors, "dtypes_%s.pt" % kind, **options)
        base = torch.randn(6, 7)
        save({"base": base, "row": base[2], "turned": base.t(), "part": base[1:4, 2:5], "same": base, "steps": base[::2],
              "wide": base[0].expand(3, 7)}, "shared_%s.pt" % kind, **options)
        lines += ["shared_%s.pt|s:base|shares|s:%s" % (kind, k) for k in ("row", "turned", "part", "steps", "wide")]
        save({"none": None, "yes": True, "no": False, "ints": [0, 255, 256, 65535, 65536, -1, -(1 << 31), 1 << 40],
              "floats": [0.1, -0.0, float("inf"), 1e300], "text": "z\u00fcrich \U0001f600", "tuple": (1, (2.5, "x"), ()),
              "nested": {"a": {"b": [{}]}}, 3: "three", "list": list(range(1500))}, "values_%s.pt" % kind, **options)
        net = network()
        save(net.state_dict(), "state_%s.pt" % kind, **options)
        save(list(net.parameters()), "parameters_%s.pt" % kind, **options)

    for name, (cls, arguments) in OPTIMIZERS.items():
        if name in OUTDATED:
            print("skipped %s: torch %s computes it in another way" % (name, torch.__version__), flush=True)
            continue
        net = network()
        optimizer = getattr(torch.optim, cls)(net.parameters(), **arguments)
        scheduler = None
        if name in SCHEDULERS:
            scheduler = getattr(torch.optim.lr_scheduler, SCHEDULERS[name][0])(optimizer, **SCHEDULERS[name][1])
        x, y = torch.randn(16, 4), torch.randn(16, 3)
        for _ in range(3):
            step(net, optimizer, scheduler, x, y)
        checkpoint = {"model": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3, "x": x, "y": y,
                      "class": cls, "arguments": arguments}
        if scheduler:
            checkpoint.update(scheduler=scheduler.state_dict(), schedule=SCHEDULERS[name])
        legacy = name == "adam_amsgrad"
        torch.save(checkpoint, os.path.join(folder, "python_%s.pt" % name), _use_new_zipfile_serialization=not legacy)
        step(net, optimizer, scheduler, x, y)
        torch.save({"model": net.state_dict(), "lr": optimizer.param_groups[0]["lr"]},
                   os.path.join(folder, "python_%s_after.pt" % name))
    np.savez(os.path.join(folder, "python.npz"), a=np.arange(6, dtype="<f4").reshape(2, 3), big=np.arange(3, dtype=">i4"),
             turned=np.asfortranarray(np.ones((2, 2), "i8")))
    with open(os.path.join(folder, "python.expect"), "w") as f:
        f.write("\n".join(lines) + "\n")


def follow(value, path):
    for part in path.split("/") if path else []:
        value = value[int(part[1:-1]) if part[0] == "[" else int(part[2:]) if part[0] == "i" else part[2:]]
    return value


def close(a, b):
    return a.keys() == b.keys() and all(torch.allclose(a[k], b[k], rtol=1e-5, atol=1e-6) for k in a)


def read(folder):
    def report(name, wrong):
        print("not ok %s: %s" % (name, wrong) if wrong else "ok " + name, flush=True)

    def check(name, work):
        try:
            report(name, work())
        except Exception as e:  # noqa: BLE001 - whatever it is, the file was not read
            report(name, "%s: %s" % (type(e).__name__, e))

    expected = collections.defaultdict(list)
    with open(os.path.join(folder, "reel.expect")) as f:
        for line in f:
            name, path, what = line.rstrip("\n").split("|", 2)
            expected[name].append((path, what))

    def compare(name):
        value = load(os.path.join(folder, name))
        found = dict(describe(value))
        for path, what in expected[name]:
            if what.startswith("shares|"):
                a, b = follow(value, path), follow(value, what[7:])
                if memory(a) != memory(b):
                    return "%s does not share its memory" % path
            elif found.pop(path, None) != what:
                return "%s is %s, expected %s" % (path, dict(describe(value)).get(path), what)
        return "%s is there, too" % next(iter(found)) if found else None

    for name in sorted(expected):
        check("python reads " + name, lambda: compare(name))

    def load_module():
        net, other = network(), network()
        net.load_state_dict(load(os.path.join(folder, "reel_module.pt")), strict=True)
        versions = load(os.path.join(folder, "reel_module.pt"))._metadata
        if versions != other.state_dict()._metadata:
            return "the versions are %r" % (versions,)

    check("python loads a saved module", load_module)

    def flat(archive, prefix=""):
        for name, value in archive.items():
            if isinstance(value, dict):
                yield from flat(value, prefix + name + ".")
            else:
                yield prefix + name, value.detach()

    def load_archive():
        archive = load(os.path.join(folder, "reel_archive.pt"))
        net = network()
        net.load_state_dict(dict(flat(archive["net"])), strict=True)
        module = load(os.path.join(folder, "reel_module.pt"))
        if not torch.equal(net.state_dict()["0.weight"], archive["net"]["0"]["weight"]):
            return "0.weight differs"
        if list(module) != [name for name, _ in flat(archive["net"])]:
            return "the names are %r" % [name for name, _ in flat(archive["net"])]
        if archive["optimizer"]["param_groups"]["0"]["options"]["momentum"] != 0.9 or archive["epoch"] != 3:
            return repr(archive["optimizer"]["param_groups"])

    check("python loads an archive of a module and an optimizer", load_archive)

    def go_on(name):
        c = load(os.path.join(folder, "reel_%s.pt" % name))
        after = load(os.path.join(folder, "reel_%s_after.pt" % name))
        if not hasattr(c["model"], "_metadata"):
            return "the model has no versions"
        net = network()
        net.load_state_dict(c["model"], strict=True)
        optimizer = getattr(torch.optim, c["class"])(net.parameters(), **c["arguments"])
        scheduler = None
        if "scheduler" in c:
            scheduler = getattr(torch.optim.lr_scheduler, c["schedule"][0])(optimizer, **c["schedule"][1])
            scheduler.load_state_dict(c["scheduler"])
        optimizer.load_state_dict(c["optimizer"])
        step(net, optimizer, scheduler, c["x"], c["y"])
        if not close(net.state_dict(), after["model"]):
            return "the next step gives other weights"
        if abs(optimizer.param_groups[0]["lr"] - after["lr"]) > 1e-12:
            return "the rate is %r, expected %r" % (optimizer.param_groups[0]["lr"], after["lr"])

    for name in OPTIMIZERS:
        if name in OUTDATED:
            continue
        check("python goes on with " + name, lambda: go_on(name))

    def arrays():
        with np.load(os.path.join(folder, "reel.npz")) as f:
            if f["a"].dtype != np.float32 or f["a"].tolist() != [[0, 1, 2], [3, 4, 5]] or f["flag"].tolist() != [True]:
                return repr({k: f[k] for k in f})

    check("numpy reads an archive", arrays)


if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](sys.argv[2])
