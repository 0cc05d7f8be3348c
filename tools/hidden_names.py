#!/usr/bin/env python3
"""usage: hidden_names.py SCRIPT OBJECT...   writes the linker's version script of a shared library: which names it hides.

Hidden are the functions that every user of a header makes for itself: inline functions, and what a template makes where it
is used. Objects have them as weak names, beside one other kind: what a source instantiates by name, `template class
X<...>;`. Users rely on the library for that, so whatever mentions such an X stays visible. Variables do, too: a program and
its libraries have one together."""
import re
import subprocess
import sys
from pathlib import Path

LIBRARIES = Path(__file__).resolve().parent.parent / "libs"
# `<` behind `template` would make it a declaration
INSTANTIATION = re.compile(r"^[ \t]*(?:#define .*)?(?:extern )?template (?!<)(?:class |struct )?([^;(\n]*)", re.MULTILINE)
ARGUMENTS = re.compile(r"<[^<>]*>")
STANDARD_TYPE = re.compile(r"_ZT[VIS]N?K?(St|9__gnu_cxx)")


def instantiated():
    """The names of the templates that the libraries' files instantiate."""
    names = set()
    for file in LIBRARIES.rglob("*.[ch]pp"):
        for match in INSTANTIATION.finditer(file.read_text()):
            head = match[1]
            while ARGUMENTS.search(head):
                head = ARGUMENTS.sub("", head)
            names.update(re.findall(r"\w+", head)[-1:])
    return names


def hidden(objects):
    kept = re.compile("|".join(f"{len(name)}{name}(?![a-z_])" for name in sorted(instantiated())) + "|^_ZTH")  # _ZTH: what sets up a variable of each thread
    listed = subprocess.run(["nm", "--defined-only", *objects], capture_output=True, text=True, check=True).stdout
    for kind, name in re.findall(r"^\w+ (\w) (\S+)$", listed, re.MULTILINE):
        if kind == "W" and name.startswith("_Z") and not kept.search(name) or kind == "V" and STANDARD_TYPE.match(name):
            yield name


def main():
    script, *objects = sys.argv[1:]
    names = "".join(f"{name};\n" for name in sorted(set(hidden(objects))))
    Path(script).write_text("{\nlocal:\n" + names + "};\n" if names else "{};\n")


if __name__ == "__main__":
    main()
