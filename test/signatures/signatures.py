#!/usr/bin/env python3
"""Every op takes by name what PyTorch's Python function takes: the same arguments in the same order, the same defaults.

pytorch.txt lists PyTorch's signatures (tools/pytorch_signatures.py writes it), differences.txt what differs on purpose.
Ends with `N passed, N failed`; with --differences it prints what differs in the form of differences.txt.
"""
import ast
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import opgen  # noqa: E402

OPTIONS = ["dtype", "layout", "device", "pin_memory", "requires_grad", "memory_format"]  # what TensorOptions stands for
REQUIRED = object()


def value(text):
    """A default as a Python value; an empty list and None both mean `not given`."""
    if text is None:
        return REQUIRED
    try:
        v = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        v = {"inf": float("inf"), "-inf": float("-inf")}.get(text, text)
    if isinstance(v, (list, tuple)):
        return list(v) or None
    return v


class Signature:
    """Arguments by position, and those that go by name alone: name -> default."""

    def __init__(self, text):
        self.text, self.positional, self.named, self.variadic = text, {}, {}, False
        inside = text[text.index("(") + 1:text.rindex(")")]
        into = self.positional
        for part in filter(None, (p.strip() for p in opgen.split_args(inside))):
            if part == "*":
                into = self.named
            elif part.startswith("*"):
                self.positional[part[1:]] = REQUIRED
                into, self.variadic = self.named, True
            else:
                name, _, default = part.partition("=")
                into[name] = value(default if "=" in part else None)

    def serves(self, other, family):
        """Can every call of `other`, one of the overloads `family`, be made here with the same meaning?

        What one of PyTorch's overloads requires, another leaves away or gives a default; what one takes by name alone, another takes
        by position: a single schema may stand for all of them.
        """
        mine, theirs = list(self.positional.items()), list(other.positional.items())
        if [n for n, _ in mine[:len(theirs)]] != [n for n, _ in theirs]:
            return False
        rest = dict(mine[len(theirs):])
        for name, default in other.named.items():
            if name not in self.named and not (name in rest and any(name in o.positional for o in family)):
                return False
        have, want = self.positional | self.named, other.positional | other.named
        for name, default in want.items():
            if have[name] == default or name in OPTIONS:
                continue
            if default is not REQUIRED or not any((o.positional | o.named).get(name, have[name]) == have[name] for o in family):
                return False
        return all(d is not REQUIRED for n, d in have.items() if n not in want)


def reel_signature(op):
    """The schema's text in the form of pytorch.txt."""
    parts, star = [], False
    for a in op.args:
        if a.kwarg_only and not star:
            parts.append("*")
            star = True
        if a.type == "TensorOptions":
            parts += [f"{name}=None" for name in OPTIONS]
        else:
            parts.append(a.name + ("" if a.default is None else f"={a.default}"))
    if op.flags & {"out", "out_exact"}:
        parts += ([] if star else ["*"]) + ["out=None"]
    return f"{op.name}({', '.join(parts)})"


def reel():
    """name -> signatures, of every op and every alias."""
    table, shared = {}, []
    for op in opgen.read_ops():
        for o in [op] + op.others:
            table.setdefault(o.name, []).append(Signature(reel_signature(o)))
        shared += [(alias, op.name) for alias in op.aliases]
    for alias, name in shared:
        table.setdefault(alias, [])
        table[alias] += [Signature(alias + s.text[len(name):]) for s in table[name]]
    return table


def pytorch():
    table = {}
    for line in (HERE / "pytorch.txt").read_text().splitlines():
        if not line.startswith("#"):
            table.setdefault(line.split("(")[0], []).append(Signature(line))
    return table


def differences():
    """Lines `- pytorch: SIGNATURE` that no schema serves, `+ reel: SIGNATURE` beyond PyTorch's."""
    theirs, found = pytorch(), []
    for name, mine in sorted(reel().items()):
        if name.split(".")[-1].startswith("_"):
            continue  # PyTorch's own helpers: no interface there
        known = theirs.get(name, [])
        methods = theirs.get("Tensor." + name, [])
        for want in known or methods:
            if not any(s.serves(want, known or methods) for s in mine):
                found.append(f"- {want.text}")
        for have in mine:
            if not any(have.serves(want, known + methods) for want in known + methods):
                found.append(f"+ {have.text}")
    return found


def decided():
    """The lines of differences.txt, which all stand below a reason."""
    lines, reason = [], None
    for line in (HERE / "differences.txt").read_text().splitlines():
        if line.startswith("#"):
            reason = line
        elif not line:
            reason = None
        elif reason is None:
            sys.exit(f"differences.txt: no reason above '{line}'")
        else:
            lines.append(line)
    return lines


def main():
    found = list(dict.fromkeys(differences()))
    if "--differences" in sys.argv:
        print("\n".join(found))
        return 0
    listed = decided()
    new, stale = [d for d in found if d not in listed], [d for d in listed if d not in found]
    for line in new:
        print(f"{line}\n    differs from PyTorch; mend the schema, or list it in differences.txt with a reason")
    for line in stale:
        print(f"{line}\n    is listed in differences.txt, but does not differ")
    checked = sum(len(s) for s in reel().values())
    print(f"{checked - len(new)} passed, {len(new) + len(stale)} failed")
    return 1 if new or stale else 0


if __name__ == "__main__":
    sys.exit(main())
