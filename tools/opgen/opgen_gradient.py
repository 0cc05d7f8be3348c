"""What each op says about its gradient, and whether its body agrees.

A block carries exactly one of three words. `rule`: the function under it records what it does (`record`, the application of a
pointwise rule, or a helper that calls either). `composite`: it records nothing and is differentiated through the ops that it calls. `not_differentiable`: its
result carries no gradient. Beside one of the first two, `not_differentiable("weight, target")` names the inputs that no
gradient reaches although their dtype would allow one.

Whether a body records is read off the sources: a definition records when it calls `record`, or another definition that
records and that its file can see (in the file, or declared in a header of the library that it includes). An op that is
called does not count: its gradient is its own.
"""
import functools
import re

import cpp_text

KINDS = ("rule", "composite", "not_differentiable")
# `apply` and `apply_number` are those of reel/autograd/pointwise/run_rule.hpp, which record for the rule that they are given
RECORDS = re.compile(r"(?<![\w.>])record\s*\(|(?<!std::)(?<![\w.>])apply(?:_number)?\s*\(")
WORD = re.compile(r"(?:\b(\w+)\s*::\s*)?(?<![.\w])(~?\b[A-Za-z_]\w*)")
OPS_NAMESPACES = {"linalg", "fft", "special", "reel", "std"}  # what is taken from there is an op, or nothing of ours


class Sources:
    """The sources of the library as text, and what they define."""

    def __init__(self, folder):
        self.folder, self.op_names = folder, set()  # the ops' C++ names, once they are known
        self.paths = sorted(p for p in folder.rglob("*") if p.suffix in (".cpp", ".hpp"))
        self.raw = {p: p.read_text() for p in self.paths}
        self.text = {p: cpp_text.blanked(t) for p, t in self.raw.items()}

    @functools.cache
    def definitions(self, path):
        return [(name, text) for name, text in cpp_text.definitions(self.text[path])]

    @functools.cache
    def included(self, path):
        """The headers of the library that a file reads, directly or not."""
        found, rest = set(), [path]
        while rest:
            for header in re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', self.raw[rest.pop()], re.M):
                for at in (self.folder / header, path.parent / header):
                    if at in self.raw and at not in found:
                        found.add(at)
                        rest.append(at)
        return found

    @functools.cache
    def declared(self, header):
        """The names that a header declares without defining them."""
        return set(re.findall(r"\b(\w+)\s*\([^{}]*?\)\s*(?:const)?\s*;", self.text[header]))

    @functools.cache
    def behind(self):
        """(header, name) -> the files that define what the header declares under the name."""
        table = {}
        for path in self.paths:
            defined = {name for name, _ in self.definitions(path)}
            for header in self.included(path):
                for name in defined & self.declared(header):
                    table.setdefault((header, name), set()).add(path)
        return table

    def meant(self, path, name, qualified):
        """The definitions, as (file, name), that a call of `name` in a file may reach; none for an op. A name behind a
        namespace (`pool::max`) is no op's, though an op may have it, too."""
        if name in self.op_names and not qualified:
            return set()
        files = {path} | self.included(path)
        files |= set().union(*(self.behind().get((header, name), ()) for header in self.included(path)))
        return {(at, name) for at in files}

    @functools.cache
    def recorders(self):
        """Every definition, as (file, name), that records."""
        callers, found, rest = {}, set(), []
        for path in self.paths:
            for name, text in self.definitions(path):
                for called, qualified in _called(text):
                    for at in self.meant(path, called, qualified):
                        callers.setdefault(at, set()).add((path, name))
                if RECORDS.search(text):
                    rest.append((path, name))
        while rest:
            at = rest.pop()
            if at not in found:
                found.add(at)
                rest += callers.get(at, ())
        return found

    def records(self, path, text):
        """Does the definition `text` of the file record what it does?"""
        return bool(RECORDS.search(text)) or any(self.meant(path, *name) & self.recorders() for name in _called(text))


@functools.cache
def _called(text):
    """The names that a text uses, each with whether a namespace stands before it; without members and without what it
    takes from a namespace of ops."""
    return {(m.group(2), bool(m.group(1))) for m in WORD.finditer(text) if m.group(1) not in OPS_NAMESPACES}


def read(flags, details, argument_types, where, fail):
    """(kind, inputs without a gradient) of a block from its flags; stops the build when they do not say one thing."""
    said = [k for k in KINDS if k in flags]
    if len(said) != 1:
        fail(where, f"the block says {' and '.join(said) or 'nothing'} about its gradient; say exactly one of rule (its body "
             "records), composite (it calls differentiable ops) and not_differentiable")
    constant = [n for d in details for n in re.split(r",\s*", d)]
    if constant and said[0] == "not_differentiable":
        fail(where, f"not_differentiable(\"{', '.join(constant)}\") stands beside not_differentiable, which speaks for every "
             "input; remove one")
    for name in constant:
        if not argument_types.get(name, "").startswith("Tensor"):
            fail(where, f"not_differentiable(\"{name}\"): the schema has no tensor argument of that name")
    return said[0], constant


def check(kind, records, where, fail):
    """Stops the build when the body does not do what the block says."""
    if kind == "rule" and not records:
        fail(where, "the block says rule, and nothing in its body records: call record with the rule, or say composite or "
             "not_differentiable")
    if kind == "composite" and records:
        fail(where, "the block says composite, and its body records: say rule")
