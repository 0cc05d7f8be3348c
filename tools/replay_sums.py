#!/usr/bin/env python3
"""Prints PASSED FAILED UNSUPPORTED AS_LISTED, summed over what a replay program wrote with --json."""
import json
import sys


def counts(node):
    """Every table {"passed", "failed", "unsupported"} below `node`."""
    if isinstance(node, dict):
        if isinstance(node.get("passed"), int) and isinstance(node.get("failed"), int):
            yield node
        else:
            for child in node.values():
                yield from counts(child)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        root = json.load(file)
    # of a scenario run the families alone count; warnings and decisions are reported beside them
    found = list(counts(root.get("families", root)))
    if not found:
        sys.exit(1)
    print(*(sum(c.get(key, 0) for c in found) for key in ("passed", "failed", "unsupported", "as_listed")))


if __name__ == "__main__":
    main()
