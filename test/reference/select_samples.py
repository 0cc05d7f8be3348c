#!/usr/bin/env python3
"""usage: select_samples.py FULL OUT   writes the sample calls of test/properties: inputs only, a few cases for each file of FULL/ops.

FULL is the full reference data, OUT a safetensors file whose metadata entry `cases` lists the calls in the notation of the
reference cases. From each file come up to two real cases of different form and a complex one, small ones first.
"""
import json
import pathlib
import struct
import sys

REAL, COMPLEX, WANTED = 2, 1, 64  # cases per file; elements from which on an input counts as large


def read(path):
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    cases = json.loads(header.pop("__metadata__")["cases"])
    return cases, header, data[8 + length:]


def tensors_in(value):
    """The tensor keys of an argument, in order."""
    if isinstance(value, list):
        for v in value:
            yield from tensors_in(v)
    elif isinstance(value, dict):
        if "tensor" in value:
            yield value["tensor"]
        else:
            for v in value.values():
                yield from tensors_in(v)


def form(value, header):
    """What tells one call from another: ranks in place of tensors, other arguments as they are."""
    if isinstance(value, list):
        return [form(v, header) for v in value]
    if isinstance(value, dict):
        if "tensor" in value:
            return ["tensor", len(header[value["tensor"]]["shape"])]
        return {k: form(v, header) for k, v in value.items()}
    return type(value).__name__ if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def elements(key, header):
    n = 1
    for s in header[key]["shape"]:
        n *= s
    return n


def overwrites(case, header):
    """Can the result be written over the first operand?"""
    first, outputs = next(tensors_in(case["args"]), None), case.get("outputs", [])
    return first and len(outputs) == 1 and header[first]["shape"] == header[outputs[0]]["shape"]


def chosen(cases, header):
    def cost(case):
        sizes = [elements(k, header) for k in tensors_in([case["args"], case["kwargs"]])]
        empty = any(n == 0 for n in sizes) or not sizes
        return (not case.get("grads"), empty, max(sizes, default=0) > WANTED, sum(n < 2 for n in sizes), sum(sizes))

    taken = []
    usable = [c for c in cases if "error" not in c]
    for dtypes, limit in ((("float64",), REAL), (("complex128",), COMPLEX)):
        forms, picked = set(), []
        candidates = sorted((c for c in usable if c["dtype"] in dtypes), key=cost)
        fitting = next((c for c in candidates if c["inplace"] and overwrites(c, header)), None)
        for case in sorted(candidates, key=lambda c: c is not fitting):
            f = json.dumps([form(case["args"], header), form(case["kwargs"], header)], sort_keys=True)
            if f not in forms and len(picked) < limit:
                forms.add(f)
                picked.append(case)
        taken += picked
    return taken or sorted(usable, key=cost)[:1]


def main():
    full, out = map(pathlib.Path, sys.argv[1:])
    samples, header, blob, offset = [], {}, [], 0
    for path in sorted((full / "ops").glob("*.safetensors")):
        cases, tensors, data = read(path)
        for number, case in enumerate(chosen(cases, tensors)):
            text = json.dumps([case["args"], case["kwargs"]])
            for key in sorted(set(tensors_in([case["args"], case["kwargs"]]))):
                name = f"{path.stem}/{number}/{key}"
                begin, end = tensors[key]["data_offsets"]
                header[name] = dict(tensors[key], data_offsets=[offset, offset + end - begin])
                blob.append(data[begin:end])
                offset += end - begin
                text = text.replace(f'"tensor": {json.dumps(key)}', f'"tensor": {json.dumps(name)}')
            args, kwargs = json.loads(text)
            samples.append({"op": case["op"], "from": f"{path.stem} {cases.index(case)}", "args": args, "kwargs": kwargs})
    header = {"__metadata__": {"cases": json.dumps(samples, separators=(",", ":"))}, **header}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    out.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blob))
    print(f"{len(samples)} samples, {len({s['op'] for s in samples})} ops, {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
