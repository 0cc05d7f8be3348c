#!/usr/bin/env python3
"""usage: alone.py FOLDER...   prints how many headers of the include folders there are, and those that do not compile alone.

A header reads the same text whether the headers that it includes were parsed for it or before it. So a few headers that
many include are parsed once, and whoever includes one of them goes on from there: two thirds of the parsing is saved."""
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

COMPILER = os.environ.get("CXX", "g++").split()
# the vector type asks for the instruction set that it is compiled for
FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-DREEL_ISA=base"]
BASES = 8
FOLDERS = [Path(folder) for folder in sys.argv[1:]]
INCLUDE = re.compile(r"#\s*include [<\"]([^>\"]+)[>\"]")


@cache
def path_of(name):
    return next((folder / name for folder in FOLDERS if (folder / name).exists()), None)


@cache
def includes(name):
    """What a header of the house includes on every condition."""
    depth, result = 0, []
    for line in path_of(name).read_text().splitlines() if path_of(name) else ():
        if re.match(r"#\s*if", line):
            depth += 1
        elif re.match(r"#\s*endif", line):
            depth -= 1
        elif (match := INCLUDE.match(line)) and depth == 0:
            result.append(match[1])
    return result


@cache
def read_by(name):
    """What a header reads: itself, and what is included anywhere below it."""
    result, open_ends = {name}, [name]
    while open_ends:
        for other in includes(open_ends.pop()):
            if other not in result:
                result.add(other)
                open_ends.append(other)
    return frozenset(result)


def weight(names):
    """How much there is to parse; a standard header is worth a few of the house's."""
    return sum(path.stat().st_size if (path := path_of(name)) else 20000 for name in names)


def chosen_bases(headers):
    """Headers that save the most when they are parsed before those that include them."""
    saved, result = dict.fromkeys(headers, 0), []
    gain = {}
    while len(result) < BASES:
        for base in headers:
            heavy = weight(read_by(base))
            gain[base] = sum(max(0, heavy - saved[h]) for h in headers if base in read_by(h)) - 3 * heavy
        best = max(headers, key=gain.get)
        if gain[best] <= 0:
            break
        result.append(best)
        for h in headers:
            if best in read_by(h):
                saved[h] = max(saved[h], weight(read_by(best)))
    return sorted(result, key=lambda base: -weight(read_by(base)))


def compile_header(name, *options):
    command = [*COMPILER, *FLAGS, *(f"-I{folder}" for folder in FOLDERS), *options]
    return subprocess.run([*command, "-include", name, "-x", "c++", "/dev/null", "-fsyntax-only"], capture_output=True, text=True)


def parse_before(base, folder):
    """The options that make the compiler begin with `base`, parsed."""
    text = Path(folder) / f"{base.replace('/', '-')}"
    text.write_text(f"#include <{base}>\n")
    command = [*COMPILER, *FLAGS, *(f"-I{folder}" for folder in FOLDERS), "-x", "c++-header", str(text), "-o", f"{text}.gch"]
    return ["-include", str(text)] if subprocess.run(command, capture_output=True).returncode == 0 else []


def fault(name, bases):
    """What the compiler says of a header that does not compile alone, nothing of others."""
    before = next((options for base, options in bases if base in read_by(name) and base != name), [])
    if before and compile_header(name, *before).returncode == 0:
        return ""
    alone = compile_header(name)
    return "\n".join(alone.stderr.splitlines()[:5]) or "failed" if alone.returncode else ""


def main():
    headers = sorted(str(path.relative_to(folder)) for folder in FOLDERS for path in folder.rglob("*.hpp"))
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(os.cpu_count()) as pool:
        chosen = chosen_bases(headers)
        bases = list(zip(chosen, pool.map(lambda base: parse_before(base, scratch), chosen)))
        for name, said in zip(headers, pool.map(lambda name: fault(name, bases), headers)):
            if said:
                print(f"{name} does not compile alone:\n{said}")
    print(f"note: {len(headers)} headers, begun with {len(bases)} of them")


if __name__ == "__main__":
    main()
