"""Which ops a source calls, read off its text: for op_includes.py, and for the functions that opgen.py writes."""
import re

import cpp_text

CALL = re.compile(r"(?<![\w.>:])(?:reel\s*::\s*)?(?:(linalg|fft|special)\s*::\s*)?(\w+)\s*\(|\breel\s*::\s*(\w+)\b(?!\s*::)")
BLOCK = re.compile(r"^REEL_OP\(", re.M)
# what stands before a name that is declared, not called: a type
TYPE_BEFORE = re.compile(r"(\w+|[>&*])\s*$")
NO_TYPE = {"return", "co_return", "co_yield", "throw", "else", "case", "do", "and", "or", "not"}


def headers_by_name(ops):
    """(namespace or None, function) -> the sources of ops that declare it."""
    table = {}
    for op in ops:
        names = [op.cpp_name] + [op.cpp_name + "_"] * op.has_inplace() + [op.cpp_name + "_out"] * bool(op.outs())
        keys = [(None, n) for n in names] + [(op.space, op.short)] * bool(op.space)
        for key in keys:
            table.setdefault(key, set()).add(op.source)
    return table


def without_blocks(text):
    """The blanked text without what ops' blocks say, which are words of their own: `alias(...)`."""
    for m in reversed(list(BLOCK.finditer(text))):
        end = cpp_text.closing(text, m.end() - 1)
        text = text[:m.start()] + cpp_text.blank(text[m.start():end]) + text[end:]
    return text


def is_declared(text, at):
    """Is the name at `at` declared there: does a type stand before it on its line?"""
    before = TYPE_BEFORE.search(text[text.rfind("\n", 0, at) + 1:at])
    return bool(before) and (before.group(1)[0].isalpha() or before.group(1)[0] == "_") and before.group(1) not in NO_TYPE


def called(text, table):
    """The sources of ops whose functions a text calls. A function of its own by that name is taken for one, too."""
    text, found = without_blocks(cpp_text.blanked(text)), set()
    for m in CALL.finditer(text):
        space, name, plain = m.groups()
        if plain or "reel" in m.group(0) or space or not is_declared(text, m.start()):
            found |= table.get((space or None, name or plain), set())
    return found
