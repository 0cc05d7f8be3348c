#!/usr/bin/env python3
"""Which headers of ops the sources of the libraries include, beside those whose ops they call.

usage: op_includes.py [--fix] [FILE...]     (all sources and private headers of libs/*/src without FILE)

A source includes the headers of the ops that it calls (<reel/autograd/ops/reduce/scan.hpp>), never all of them, so that a schema
compiles its users and nobody else. Prints what is missing, one a line, and where <reel/autograd/ops.hpp> stands for a few of
them; --fix writes the includes. A call is a name of an op, free-standing or behind reel, linalg, fft or special, before a
parenthesis: a function of the file's own by that name counts, too, which costs an include and breaks nothing.
"""
import pathlib
import re
import sys

import cpp_text
import opgen

ROOT = opgen.ROOT
CALL = re.compile(r"(?<![\w.>:])(?:reel\s*::\s*)?(?:(linalg|fft|special)\s*::\s*)?(\w+)\s*\(|\breel\s*::\s*(\w+)\b(?!\s*::)")
INCLUDE = re.compile(r"^#include <reel/autograd/ops(?:_out)?(?:/([\w/]+))?\.hpp>.*\n", re.M)
ANY_INCLUDE = re.compile(r'^#include [<"].*\n', re.M)


def headers_by_name():
    """(namespace or None, function) -> the sources of ops that declare it."""
    table = {}
    for op in opgen.read_ops():
        names = [op.cpp_name] + [op.cpp_name + "_"] * op.has_inplace() + [op.cpp_name + "_out"] * bool(op.outs())
        keys = [(None, n) for n in names] + [(op.space, op.short)] * bool(op.space)
        for key in keys:
            table.setdefault(key, set()).add(op.source)
    return table


def sources():
    """Kernels call no ops: `exp` is the vector's there."""
    return [p for p in sorted((ROOT / "libs").glob("*/src/**/*"))
            if p.suffix in (".cpp", ".hpp") and not {"cpu", "kernels"} & set(p.parts)]


def needed(path, table):
    """The sources of ops whose functions a file calls."""
    found = set()
    for space, name, plain in CALL.findall(cpp_text.blanked(path.read_text())):
        found |= table.get((space or None, name or plain), set())
    return found


def with_includes(text, wanted):
    """The text with exactly the headers `wanted`, beside the first include of Reel's, else behind the last one."""
    lines = "".join(f"#include <reel/autograd/ops/{w}.hpp>\n" for w in sorted(wanted))
    text = INCLUDE.sub("", text)
    ours = re.search(r"^#include <reel/.*\n", text, re.M)
    if ours:
        return text[:ours.start()] + lines + text[ours.start():]
    others = [m for m in ANY_INCLUDE.finditer(text) if m.group().startswith("#include <")]
    if others:
        return text[:others[-1].end()] + "\n" + lines + text[others[-1].end():]
    first = ANY_INCLUDE.search(text) or re.search(r"^(?!//|#pragma|\n)", text, re.M)
    before = text[:first.start()].rstrip("\n")
    return before + ("\n\n" if before.startswith("#pragma") or "#pragma once" in before else "\n") + lines + "\n" + text[first.start():]


def problems(paths, table):
    """(file, what its text says of ops, the headers that it lacks) of each file that lacks some or includes all."""
    for path in paths:
        there = {m.group(1) for m in INCLUDE.finditer(path.read_text())}
        missing = {w for w in needed(path, table) if not {w, w.split("/")[0]} & there}  # a family's header holds all of its own
        if missing or None in there:
            yield path, there, missing


def sentences(paths):
    for path, there, missing in problems(paths, headers_by_name()):
        file = path.relative_to(ROOT).as_posix()
        for w in sorted(missing):
            yield f"{file}: calls ops of <reel/autograd/ops/{w}.hpp> and does not include it"
        if None in there:
            yield f"{file}: includes every op; tools/op_includes.py --fix writes those that it calls"


def main():
    paths = [pathlib.Path(a).resolve() for a in sys.argv[1:] if a != "--fix"] or sources()
    if "--fix" in sys.argv:
        for path, there, missing in problems(paths, headers_by_name()):
            path.write_text(with_includes(path.read_text(), missing | (there - {None})))
        return 0
    wrong = list(sentences(paths))
    print("".join(f"{w}\n" for w in wrong), end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
