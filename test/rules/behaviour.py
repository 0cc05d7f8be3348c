"""Rules of the rules of behaviour: each is numbered, quoted as it is, and named by a test."""
import re

import conformance

QUOTING = (".cpp", ".hpp", ".cu", ".cuh", ".inc", ".py", ".sh", ".jam", ".md")


def quoted_rules_exist(root, files, name, read):
    """`E-37` anywhere in a source, a script or a decision names a rule of doc/rules; so does each end of `E-1 to E-9`."""
    known = {f"{family}-{label}" for family, f in conformance.FAMILIES.items() for label in f.labels}
    pattern = re.compile(r"(?<![A-Za-z0-9_.-])([A-Z]{1,2}-\d+[a-z]?)(?![0-9A-Za-z]|\.\d)")
    for path in files:
        if path.suffix not in QUOTING or "reference" in path.parts:
            continue
        for i, text in enumerate(read(path).splitlines(), 1):
            for rule in pattern.findall(text):
                if rule not in known:
                    yield f"{name(path)}:{i}: doc/rules has no {rule}"


def rules_are_numbered_and_anchored(root, files, name, read):
    """Each rule stands on a page of its family, numbers without a gap, the anchor of a rule is its id in small letters."""
    for path in sorted((root / "doc/rules").glob("*.md")):
        for anchor, family, label in conformance.RULE.findall(read(path)):
            if anchor != f"{family}-{label}".lower():
                yield f"{name(path)}: {family}-{label} has the anchor {anchor}"
            if family not in conformance.FAMILIES or conformance.FAMILIES[family].pages.get(label) != path.name:
                yield f"{name(path)}: {family}-{label} belongs on another page (doc/rules/README.md)"
        if read(path).count("<a id=") != len(conformance.RULE.findall(read(path))):
            yield f"{name(path)}: an anchor without a rule behind it"
    for family, f in conformance.FAMILIES.items():
        numbers = [int(label) for label in f.labels if label.isdigit()]
        if sorted(numbers) != list(range(1, len(numbers) + 1)):
            yield f"doc/rules/{f.page}: {family} goes {numbers}"


def every_rule_is_pinned(root, files, name, read):
    """A test or a replayed scenario names each rule of doc/rules."""
    for rule in conformance.unpinned():
        yield f"{rule}: no test names it"


def the_page_of_pinned_rules_is_current(root, files, name, read):
    """doc/conformance.md is what tools/conformance.py writes."""
    if conformance.stale():
        yield "doc/conformance.md is stale: run tools/conformance.py"


RULES = [quoted_rules_exist, rules_are_numbered_and_anchored, every_rule_is_pinned, the_page_of_pinned_rules_is_current]
