#!/usr/bin/env python3
"""Writes the includes of ops that sources need.

usage: op_includes.py           sources and private headers of the libraries that include every op, one a line
       op_includes.py --fix     these include the ops that they call instead
       op_includes.py FILE...   and so do these, which call ops of headers that they do not include

A source includes the headers of the ops that it calls (<reel/autograd/ops/reduce/scan.hpp>), never all of them, so that a schema
compiles its users and nobody else. A call is a name of an op, free-standing or behind reel, linalg, fft or special, before a
parenthesis. A function of the file's own by that name is taken for one, too, so what is written is to be looked at; what is
missing the compiler knows.
"""
import pathlib
import re
import sys

import opgen
import called_ops  # where opgen has its parts

ROOT = opgen.ROOT
INCLUDE = re.compile(r"^#include <reel/autograd/ops(?:_out)?(?:/([\w/]+))?\.hpp>.*\n", re.M)
ANY_INCLUDE = re.compile(r'^#include [<"].*\n', re.M)


def sources():
    """Kernels call no ops: `exp` is the vector's there."""
    return [p for p in sorted((ROOT / "libs").glob("*/src/**/*"))
            if p.suffix in (".cpp", ".hpp") and not {"cpu", "kernels"} & set(p.parts)]


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


def including_all():
    """The files that include every op."""
    return [p for p in sources() if any(m.group(1) is None for m in INCLUDE.finditer(p.read_text()))]


def sentences():
    return [f"{p.relative_to(ROOT).as_posix()}: includes every op; tools/op_includes.py --fix writes those that it calls"
            for p in including_all()]


def fix(paths):
    table = called_ops.headers_by_name(opgen.read_ops())
    for path in paths:
        text = path.read_text()
        there = {m.group(1) for m in INCLUDE.finditer(text)} - {None}
        missing = {w for w in called_ops.called(text, table) if not {w, w.split("/")[0]} & there}  # a family's header holds all of its own
        path.write_text(with_includes(text, missing | there))


def main():
    if sys.argv[1:]:
        fix(including_all() if "--fix" in sys.argv else [pathlib.Path(a).resolve() for a in sys.argv[1:]])
        return 0
    wrong = sentences()
    print("".join(f"{w}\n" for w in wrong), end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
