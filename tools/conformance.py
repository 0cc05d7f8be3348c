#!/usr/bin/env python3
"""Writes doc/conformance.md: which tests pin which rule of doc/rules. `--check` fails when the page is stale.

The families and their pages stand in the table of doc/rules/README.md, the rules on those pages. A rule is pinned by a
test when its id stands in the name of the test (`B_13_...`), in a comment of its body, or in the comment right above
it. Replayed scenarios name their rules themselves.
"""
import collections
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "doc/conformance.md"
RULES = ROOT / "doc/rules"
RULE = re.compile(r'^- <a id="([^"]*)"></a>\*\*([A-Z]{1,2})-(\d+[a-z]?)\*\* \S', re.M)
INDEX = re.compile(r"^\| ([A-Z]{1,2}) \| \[[a-z-]+\.md\]\(([a-z-]+\.md)\) \| (.+) \|$", re.M)


class Family:
    """A family of rules: what it is about, and the page of each of its rules ("1", "33", "33a", ...), in their order."""

    def __init__(self):
        self.about, self.pages = "", {}

    def add(self, name, page, about):
        self.about += (", " if self.about else "") + about
        text = (RULES / page).read_text(encoding="utf-8")
        self.pages |= {label: page for _, family, label in RULE.findall(text) if family == name}
        # as the pages count them: a family that stands on several is put in order
        self.pages = dict(sorted(self.pages.items(), key=lambda item: int(re.match(r"\d+", item[0])[0])))

    @property
    def labels(self):
        return list(self.pages)

    @property
    def page(self):
        return next(iter(self.pages.values()))


def families():
    """The families by name; the index has a row for each page of one."""
    found = {}
    for name, page, about in INDEX.findall((RULES / "README.md").read_text(encoding="utf-8")):
        found.setdefault(name, Family()).add(name, page, about)
    return found


FAMILIES = families()
NAMES = "|".join(sorted(FAMILIES, key=len, reverse=True))
ID = re.compile(r"(?<![A-Za-z0-9])(" + NAMES + r")[-_](\d+)([a-z]?)(?![0-9A-Z])(?!\.\d)")
RANGE = re.compile(r"(?<![A-Za-z0-9])(" + NAMES + r")-(\d+)(?: to |\.\.|…)(?:\1-)(\d+)(?!\d)")
CASE = re.compile(r"^\s*(?:BOOST_(?:AUTO|DATA|FIXTURE)_TEST_CASE(?:_TEMPLATE)?|BOOST_DATA_TEST_CASE)\s*\(\s*(\w+)")


def ids(text):
    """The rules that a line quotes; `B-13 to B-21` are all of them."""
    found = {(family, i + letter if i + letter in FAMILIES[family].labels else i) for family, i, letter in ID.findall(text)}
    for family, first, last in RANGE.findall(text):
        found |= {(family, str(i)) for i in range(int(first), int(last) + 1)}
    return {(family, label) for family, label in found if label in FAMILIES[family].labels}


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


def unpinned():
    """The rules that neither a test nor a scenario names."""
    tests, scenarios = quotes_of_tests(), quotes_of_scenarios()
    return [f"{family}-{label}" for family, f in FAMILIES.items() for label in f.labels
            if (family, label) not in tests and not scenarios[family, label]]


def page():
    tests, scenarios = quotes_of_tests(), quotes_of_scenarios()
    rows = ["# Conformance", "",
            "Which tests pin which of the [rules](rules/README.md). Written by `tools/conformance.py`; do not edit.", "",
            "| family | about | rules | pinned by tests | replayed by scenarios | by neither |", "|---|---|--:|--:|--:|--:|"]
    total = [0] * 4
    for family, f in FAMILIES.items():
        rules = [(family, label) for label in f.labels]
        counts = [len(rules), sum(r in tests for r in rules), sum(r in scenarios for r in rules),
                  sum(r not in tests and r not in scenarios for r in rules)]
        total = [a + b for a, b in zip(total, counts)]
        rows.append(f"| [{family}](rules/{f.page}) | {f.about} | " + " | ".join(map(str, counts)) + " |")
    rows.append("| all | | " + " | ".join(map(str, total)) + " |")
    for family, f in FAMILIES.items():
        rows += ["", f"## {family}: {f.about}", "", "| rule | tests | scenarios |", "|---|---|--:|"]
        for label in f.labels:
            files = tests.get((family, label), {})
            cells = [f"`{name}`" + (": " + ", ".join(c for c in cases if c) if any(cases) else "") for name, cases in files.items()]
            rule = f"{family}-{label}"
            rows.append(f"| [{rule}](rules/{f.pages[label]}#{rule.lower()}) | " + "<br>".join(cells) + f" | {scenarios[family, label] or ''} |")
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
