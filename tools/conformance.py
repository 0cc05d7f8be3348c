#!/usr/bin/env python3
"""Writes doc/conformance.md: which tests pin which rule of the specification. `--check` fails when the page is stale.

A rule is pinned by a test when its id stands in the name of the test (`B_13_...`), in a comment of its body, or in the
comment right above it. Replayed scenarios name their rules themselves.
"""
import collections
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "doc/conformance.md"
# family -> (how many rules it has, what they are about); test/rules checks the numbers against the specification
FAMILIES = {"C": (34, "calls and forward hooks"), "B": (48, "backward hooks"), "T": (37, "hooks of tensors and nodes"),
            "E": (91, "the engine"), "M": (54, "module state"), "MS": (27, "n-step returns"),
            "DR": (1, "dense rewards"), "SP": (1, "splitting by trajectory"), "EN": (10, "environments and collectors"),
            "TD": (4, "dictionaries of tensors"), "LN": (4, "layer norm variants"), "RI": (11, "reversible instance norm")}
LETTERED = {"33a": "M"}  # rules added between others
ID = re.compile(r"(?<![A-Za-z0-9])(" + "|".join(FAMILIES) + r")[-_](\d+)([a-z]?)(?!\d)(?!\.\d)")
RANGE = re.compile(r"(?<![A-Za-z0-9])(" + "|".join(FAMILIES) + r")-(\d+)(?: to |\.\.|…)(?:\1-)(\d+)(?!\d)")
CASE = re.compile(r"^\s*(?:BOOST_(?:AUTO|DATA|FIXTURE)_TEST_CASE(?:_TEMPLATE)?|BOOST_DATA_TEST_CASE)\s*\(\s*(\w+)")


def labels(family):
    """The rules of a family: "1", "2", ..., with the lettered ones behind their numbers."""
    numbered = [str(i) for i in range(1, FAMILIES[family][0] + 1)]
    for label, of in LETTERED.items():
        if of == family:
            numbered.insert(int(re.match(r"\d+", label)[0]), label)
    return numbered


def ids(text):
    """The rules that a line quotes; `B-13 to B-21` are all of them."""
    found = {(family, i + letter if i + letter in LETTERED else i) for family, i, letter in ID.findall(text)}
    for family, first, last in RANGE.findall(text):
        found |= {(family, str(i)) for i in range(int(first), int(last) + 1)}
    return {(family, label) for family, label in found if label in labels(family)}


def note(out, rules, path, case):
    for rule in rules:
        tests = out[rule][path.relative_to(ROOT / "test").as_posix()]
        if case not in tests:
            tests.append(case)


def quotes_of_tests():
    """rule -> {file: [test, ...]} in order; the test is empty for a quote that stands outside of every test."""
    out = collections.defaultdict(lambda: collections.defaultdict(list))
    for path in sorted((ROOT / "test").rglob("*.cpp")):
        if "reference" in path.parts:
            continue
        current, waiting = "", set()
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            case = CASE.match(line)
            if case:
                current = case.group(1)
                here, waiting = ids(line) | waiting, set()
            elif line.startswith("//"):  # a comment outside of a body belongs to what follows
                waiting |= ids(line)
                continue
            else:
                here = ids(line)
            note(out, here, path, current)
        note(out, waiting, path, "")
    return out


def quotes_of_scenarios():
    """rule -> how many replayed scenarios name it."""
    count = collections.Counter()
    for path in sorted((ROOT / "test/reference/scenarios").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                count.update({r for rule in json.loads(line).get("rules", []) for r in ids(rule)})
    return count


def page():
    tests, scenarios = quotes_of_tests(), quotes_of_scenarios()
    rows = ["# Conformance", "",
            "Which tests pin which rule of the behaviour specification. Written by `tools/conformance.py`; do not edit.", "",
            "| family | about | rules | pinned by tests | replayed by scenarios | by neither |", "|---|---|--:|--:|--:|--:|"]
    total = [0] * 4
    for family, (_, about) in FAMILIES.items():
        rules = [(family, label) for label in labels(family)]
        counts = [len(rules), sum(r in tests for r in rules), sum(r in scenarios for r in rules),
                  sum(r not in tests and r not in scenarios for r in rules)]
        total = [a + b for a, b in zip(total, counts)]
        rows.append(f"| {family} | {about} | " + " | ".join(map(str, counts)) + " |")
    rows.append("| all | | " + " | ".join(map(str, total)) + " |")
    for family, (_, about) in FAMILIES.items():
        rows += ["", f"## {family}: {about}", "", "| rule | tests | scenarios |", "|---|---|--:|"]
        for label in labels(family):
            files = tests.get((family, label), {})
            cells = [f"`{f}`" + (": " + ", ".join(c for c in cases if c) if any(cases) else "") for f, cases in files.items()]
            rows.append(f"| {family}-{label} | " + "<br>".join(cells) + f" | {scenarios.get((family, label), 0) or ''} |")
    return "\n".join(rows) + "\n"


def stale():
    return not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page()


def main():
    if "--check" in sys.argv[1:]:
        if stale():
            sys.exit("doc/conformance.md is stale: run tools/conformance.py")
    else:
        PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
