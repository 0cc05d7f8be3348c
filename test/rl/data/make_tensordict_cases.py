#!/usr/bin/env python3
"""Chains of operations on random dictionaries of tensors, with what the tensordict package makes of them.

usage: make_tensordict_cases.py >tensordict_cases.json    (needs torch and tensordict; the test needs neither)
"""
import json
import random

import torch
from tensordict import TensorDict

DTYPES = {"float32": torch.float32, "float64": torch.float64, "int64": torch.int64, "int32": torch.int32,
          "uint8": torch.uint8, "bool": torch.bool}


def leaf(spec):
    n = 1
    for size in spec["shape"]:
        n *= size
    values = torch.arange(n) * spec["step"] + spec["start"]
    dtype = DTYPES[spec["dtype"]]
    values = values % 2 if dtype == torch.bool else values % 199
    return values.to(dtype).reshape(spec["shape"])


def build(spec):
    td = TensorDict({}, spec["batch_size"])
    for name, entry in spec["entries"]:
        td.set(name, build(entry) if "entries" in entry else leaf(entry))
    return td


def random_spec(rng, batch, depth=0):
    entries = []
    names = rng.sample(["a", "b", "c", "reward", "done", "next", "obs.x", "Z", "_y"], rng.randint(1, 4))
    for name in names:
        if depth < 2 and rng.random() < 0.3:
            extra = [rng.randint(1, 3)] if rng.random() < 0.25 else []
            entries.append([name, random_spec(rng, batch + extra, depth + 1)])
        else:
            shape = batch + [rng.randint(1, 3) for _ in range(rng.choice([0, 0, 1, 1, 2]))]
            entries.append([name, {"shape": shape, "dtype": rng.choice(list(DTYPES)), "start": rng.randint(0, 50),
                                   "step": rng.randint(1, 7)}])
    if depth and rng.random() < 0.15:
        entries = []
    return {"batch_size": batch, "entries": entries}


def random_index(rng, batch):
    """An index list as JSON, and what it is in Python."""
    items, taken, kinds = [], 0, list(batch)
    used_ellipsis = False
    d = 0
    while d < len(kinds) and (not items or rng.random() < 0.7):
        n = kinds[d]
        kind = rng.choice(["int", "slice", "none", "tensor", "mask", "mask2", "ellipsis", "int0"])
        if kind == "int" and n:
            items.append({"int": rng.randrange(-n, n)})
        elif kind == "int0" and n:
            items.append({"tensor": rng.randrange(-n, n), "shape": []})
        elif kind == "slice":
            step = rng.choice([1, 1, 2])
            items.append({"slice": [rng.choice([None, 0, 1, -2]), rng.choice([None, 2, -1, 9]), step]})
        elif kind == "none":
            items.append({"none": 1})
            continue
        elif kind == "tensor" and n:
            shape = rng.choice([[1], [2, 1]]) if any("tensor" in i or "mask" in i for i in items) else rng.choice(
                [[2], [3], [2, 2]])
            count = 1
            for s in shape:
                count *= s
            items.append({"tensor": [rng.randrange(-n, n) for _ in range(count)], "shape": shape})
        elif kind == "mask" and n and not any("tensor" in i or "mask" in i for i in items):
            items.append({"mask": [rng.random() < 0.6 for _ in range(n)], "shape": [n]})
        elif kind == "mask2" and d + 1 < len(kinds) and not any("tensor" in i or "mask" in i for i in items):
            m = n * kinds[d + 1]
            items.append({"mask": [rng.random() < 0.6 for _ in range(m)], "shape": [n, kinds[d + 1]]})
            d += 1
        elif kind == "ellipsis" and not used_ellipsis:
            items.append({"ellipsis": 1})
            used_ellipsis = True
            d = min(len(kinds), d + rng.randint(0, 1))
            continue
        else:
            continue
        d += 1
    return items or [{"slice": [None, None, 1]}]


def index_of(items):
    out = []
    for i in items:
        if "int" in i:
            out.append(i["int"])
        elif "slice" in i:
            out.append(slice(*i["slice"]))
        elif "none" in i:
            out.append(None)
        elif "ellipsis" in i:
            out.append(Ellipsis)
        elif "mask" in i:
            out.append(torch.tensor(i["mask"]).reshape(i["shape"]))
        else:
            out.append(torch.tensor(i["tensor"]).reshape(i["shape"]))
    return tuple(out)


def random_op(rng, td):
    batch = list(td.batch_size)
    dims = len(batch)
    keys = [list(k) if isinstance(k, tuple) else [k] for k in td.keys(True)]
    op = rng.choice(["index", "index", "index", "reshape", "transpose", "permute", "unsqueeze", "squeeze", "expand",
                     "flatten", "gather", "stack", "cat", "split", "unbind", "select", "exclude", "rename", "update",
                     "flatten_keys", "unflatten_keys", "without_empty", "batch_size", "clone", "index_put"])
    if op == "index" and dims:
        return {"op": op, "index": random_index(rng, batch)}
    if op == "reshape":
        n = 1
        for s in batch:
            n *= s
        first = rng.choice([f for f in range(1, max(n, 1) + 1) if n % f == 0]) if n else 0
        return {"op": op, "to": rng.choice([[-1], [first, -1]]) if n else [0]}
    if op == "transpose" and dims:
        return {"op": op, "dims": [rng.randrange(-dims, dims), rng.randrange(-dims, dims)]}
    if op == "permute" and dims:
        return {"op": op, "dims": rng.sample(range(dims), dims)}
    if op == "unsqueeze":
        return {"op": op, "dim": rng.randrange(-dims - 1, dims + 1)}
    if op == "squeeze" and dims:
        return {"op": op, "dim": rng.randrange(-dims, dims)}
    if op == "expand":
        return {"op": op, "to": [2] + [rng.randint(2, 3) if s == 1 else s for s in batch]}
    if op == "flatten" and dims:
        a = rng.randrange(dims)
        return {"op": op, "dims": [a, rng.randrange(a, dims)]}
    if op == "gather" and dims and 0 not in batch:
        dim = rng.randrange(-dims, dims)
        shape = list(batch)
        shape[dim] = rng.randint(1, 3)
        count = 1
        for s in shape:
            count *= s
        return {"op": op, "dim": dim, "shape": shape, "index": [rng.randrange(batch[dim]) for _ in range(count)]}
    if op == "stack":
        return {"op": op, "dim": rng.randrange(dims + 1), "count": rng.randint(1, 3)}
    if op == "cat" and dims:
        return {"op": op, "dim": rng.randrange(dims), "count": rng.randint(1, 3)}
    if op in ("split", "unbind") and dims and 0 not in batch:
        dim = rng.randrange(dims)
        size = rng.randint(1, 2) if op == "split" else 1
        parts = -(-batch[dim] // size)
        return {"op": op, "dim": dim, "size": size, "part": rng.randrange(parts)}
    if op in ("select", "exclude") and keys:
        picked = rng.sample(keys, rng.randint(1, min(3, len(keys))))
        # whole dictionaries beside parts of them: another test says what that means
        picked = [k for k in picked if not any(k != o and k == o[:len(k)] for o in picked)]
        return {"op": op, "keys": picked}
    if op == "rename" and keys:
        old = rng.choice(keys)
        new = rng.choice([["fresh"], ["deep", "er"], old[:-1] + ["beside"]])
        return {"op": op, "from": old, "to": new}
    if op == "update":
        return {"op": op, "other": random_spec(rng, batch)}
    if op in ("flatten_keys", "unflatten_keys"):
        return {"op": op, "separator": "."}
    if op == "batch_size" and dims:
        return {"op": op, "to": batch[:rng.randrange(dims + 1)]}
    if op == "index_put" and dims and batch[0]:
        return {"op": op, "at": rng.randrange(batch[0]), "of": rng.randrange(batch[0])}
    if op in ("without_empty", "clone"):
        return {"op": op}
    return None


def key(path):
    return path[0] if len(path) == 1 else tuple(path)


def run(td, op):
    name = op["op"]
    if name == "index":
        return td[index_of(op["index"])]
    if name == "reshape":
        return td.reshape(op["to"])
    if name == "transpose":
        return td.transpose(*op["dims"])
    if name == "permute":
        return td.permute(op["dims"])
    if name == "unsqueeze":
        return td.unsqueeze(op["dim"])
    if name == "squeeze":
        return td.squeeze(op["dim"])
    if name == "expand":
        return td.expand(op["to"])
    if name == "flatten":
        return td.flatten(*op["dims"])
    if name == "gather":
        return td.gather(op["dim"], torch.tensor(op["index"]).reshape(op["shape"]))
    if name == "stack":
        return torch.stack([td] * op["count"], op["dim"])
    if name == "cat":
        return torch.cat([td] * op["count"], op["dim"])
    if name == "split":
        return td.split(op["size"], op["dim"])[op["part"]]
    if name == "unbind":
        return td.unbind(op["dim"])[op["part"]]
    if name == "select":
        return td.select(*[key(k) for k in op["keys"]])
    if name == "exclude":
        return td.exclude(*[key(k) for k in op["keys"]])
    if name == "rename":
        return td.clone().rename_key_(key(op["from"]), key(op["to"]))
    if name == "update":
        return td.clone().update(build(op["other"]))
    if name == "flatten_keys":
        return td.flatten_keys(op["separator"])
    if name == "unflatten_keys":
        return td.unflatten_keys(op["separator"])
    if name == "without_empty":
        return td.clone(False).filter_empty_()
    if name == "batch_size":
        td = td.clone(False)
        td.batch_size = op["to"]
        return td
    if name == "index_put":
        td = td.clone()
        td[op["at"]] = td[op["of"]].clone()
        return td
    return td.clone()


def digest(td):
    """Order of the names, sizes, and a sum that notices misplaced elements."""
    out = []
    for name in td.keys(True):  # items(True) goes another way: dictionaries before their children
        entry = td.get(name)
        path = list(name) if isinstance(name, tuple) else [name]
        if isinstance(entry, TensorDict):
            out.append([path, list(entry.batch_size)])
        else:
            flat = entry.reshape(-1).to(torch.int64)
            out.append([path, list(entry.shape), str(entry.dtype)[6:],
                        int((flat * (torch.arange(flat.numel()) % 101 + 1)).sum())])
    return out


def main():
    rng = random.Random(14)
    cases, used = [], {}
    while len(cases) < 240:
        spec = random_spec(rng, [rng.randint(1, 3) for _ in range(rng.randint(0, 3))])
        td, ops = build(spec), []
        for _ in range(rng.randint(1, 4)):
            op = random_op(rng, td)
            if op is None:
                continue
            try:
                after = run(td, op)
                if max([t.numel() for t in after.values(True, True)] or [0]) > 400:
                    continue
            except (RuntimeError, IndexError, ValueError, KeyError):
                continue
            td = after
            ops.append(op)
            used[op["op"]] = used.get(op["op"], 0) + 1
        if not ops:
            continue
        case = {"dict": spec, "ops": ops, "batch_size": list(td.batch_size), "result": digest(td)}
        if len(cases) % 8 == 0:
            case["text"] = str(td)
        cases.append(case)
    print(json.dumps({"tensordict": __import__("tensordict").__version__, "cases": cases}, separators=(",", ":")))
    __import__("sys").stderr.write(str(used) + "\n")


main()
