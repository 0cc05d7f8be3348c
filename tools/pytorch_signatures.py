#!/usr/bin/env python3
"""usage: pytorch_signatures.py > test/signatures/pytorch.txt   (a Python with torch, torchgen and yaml)

Lists what PyTorch's Python functions take: one line per overload, `name(input, other, *, alpha=1, out=None)`. Names are those
of torch's namespaces, methods that are no functions stand as `Tensor.name`. Facts only: names, positions, defaults.
"""
import inspect
import os
import pkgutil
import re
import sys

import torch
import torchgen
from torchgen.api import python as api
from torchgen.gen import parse_native_yaml

SPACES = {"": torch, "nn.functional.": torch.nn.functional, "linalg.": torch.linalg, "fft.": torch.fft, "special.": torch.special,
          "signal.windows.": torch.signal.windows, "masked.": torch.masked}
# bindings that torchgen does not write: python_variable_methods.cpp, python_torch_functions_manual.cpp
TO = "non_blocking=False, copy=False, *, memory_format=None"
BY_HAND = [f"Tensor.to(input, device=None, dtype=None, {TO})", f"Tensor.to(input, dtype, {TO})", f"Tensor.to(input, tensor, {TO})",
           "nonzero(input, *, as_tuple=False, out=None)"]
BY_HAND += [f"Tensor.{t}(input, *, memory_format=None)" for t in
            ("bool", "byte", "char", "short", "int", "long", "half", "bfloat16", "float", "double", "cfloat", "cdouble")]
REPLACED = {"Tensor.to", "nonzero"}
FOLDER = os.path.join(os.path.dirname(torchgen.__file__), "packaged/ATen/native")


def native():
    """(python module, name, is method) -> the signatures that the binding's parser takes."""
    table = {}
    for f in parse_native_yaml(f"{FOLDER}/native_functions.yaml", f"{FOLDER}/tags.yaml").native_functions:
        generated = "generated" in f.tags and "view_copy" not in f.tags  # such forms are not bound to Python
        if f.func.name.name.dunder_method or str(f.func.name.name).startswith("_") or generated:
            continue
        for variant in f.variants:
            method = variant.name == "method"
            if method and f.func.is_out_fn():
                continue
            try:
                signature = api.signature(f, method=method)
            except ValueError:  # requires_grad_: its binding is written by hand
                continue
            table.setdefault((f.python_module or "", str(f.func.name.name), method), []).append((f.func.is_out_fn(), signature))
    return table


def default(text):
    """A default as Python writes it."""
    if text is None:
        return ""
    text = {"nullptr": "None", "::std::nullopt": "None", "true": "True", "false": "False", "at::Reduction::Mean": "1"}.get(text, text)
    if text.startswith('"'):
        text = "'" + text[1:-1] + "'"
    if re.fullmatch(r"c10::MemoryFormat::\w+", text):
        text = text.split("::")[-1].lower() + "_format"
    if text.startswith("{"):
        text = "[" + text[1:-1] + "]"
    return "=" + text


def written(signature, method, out):
    arguments = ["input"] if method else []
    arguments += [a.name.replace("self", "input") + default(a.default) for a in signature.input_args]
    named = [a.name + default(a.default) for a in signature.input_kwargs]
    named += ["out=None"] if out else []
    named += [a.name + default(a.default) for a in signature.tensor_options_args]
    return ", ".join(arguments + (["*"] + named if named else []))


def of_native(found, method):
    """The overloads, each with `out=` where there is such a form of it."""
    plain = [s for out, s in found if not out]
    into = {written(s, method, False) for out, s in found if out}
    lines = [written(s, method, written(s, method, False) in into) for s in plain]
    return lines + sorted(into - {written(s, method, False) for s in plain})


def of_python(function):
    """What a function written in Python takes."""
    parts, named = [], False
    for p in inspect.signature(function).parameters.values():
        if p.kind == p.VAR_POSITIONAL:
            parts.append("*" + p.name)
            named = True
        elif p.kind == p.VAR_KEYWORD:
            return None
        else:
            if p.kind == p.KEYWORD_ONLY and not named:
                parts.append("*")
                named = True
            value = p.default
            shown = "" if value is p.empty else "=" + (str(value).split(".")[-1] if isinstance(value, torch.dtype) else repr(value))
            parts.append(p.name + shown.replace("(", "[").replace(")", "]"))
    return ", ".join("input" if p == "self" else p for p in parts)


def main():
    table, lines = native(), set()
    for space, module in SPACES.items():
        short = {"": "", "nn.functional.": "nn"}.get(space, space.rstrip("."))
        for name in dir(module):
            function = getattr(module, name)
            if name.startswith("_") or inspect.isclass(function) or inspect.ismodule(function) or not callable(function):
                continue
            if inspect.isbuiltin(function):
                own = getattr(function, "__name__", name)
                for key in ((short, own, False), ("", own, False), ("nn", own, False), (short, f"{short}_{name}", False)):
                    if key in table:
                        lines.update(f"{space}{name}({text})" for text in of_native(table[key], False))
                        break
                else:
                    print("no signature of", space + name, file=sys.stderr)
                continue
            if not inspect.isfunction(function) or not function.__module__.startswith("torch"):
                continue
            # where an argument chooses between two functions, they take the same
            text = of_python(inspect.getclosurevars(function).nonlocals.get("if_true", function))
            if text is None:
                print("no signature of", space + name, file=sys.stderr)
            else:
                lines.add(f"{space}{name}({text})")
    for name in dir(torch.Tensor):
        function = getattr(torch.Tensor, name)
        if name.startswith("_") or not callable(function):
            continue
        if inspect.isfunction(function):
            text = of_python(function)
            if text is not None:
                lines.add(f"Tensor.{name}({text})")
        elif name == "tolist":
            lines.add("Tensor.tolist(input)")
        else:
            lines.update(f"Tensor.{name}({text})" for text in of_native(table.get(("", name, True), []), True))
    lines = {line for line in lines if line.split("(")[0] not in REPLACED and "<" not in line} | set(BY_HAND)  # "<": an object
    print("# Signatures of PyTorch", torch.__version__.split("+")[0] + ", written by tools/pytorch_signatures.py")
    print("\n".join(sorted(lines)))


if __name__ == "__main__":
    main()
