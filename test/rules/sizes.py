"""Files and functions stay short: a body fits on a screen. That of a test, too."""
import re

import cpp_text

FILE_LIMIT, LIMIT = 400, 60
TABLE_FILES = ("libs/script/src/ops/schemas/",)  # one line for each entry, and nothing else
# (file, function) -> why it is longer
TABLES = {
    ("libs/serialize/src/pickle_reader.cpp", "step"): "a case for each opcode",
    ("libs/serialize/src/pickle_calls.cpp", "call"): "a case for each callable that files name",
    ("libs/script/src/exported/autocast.cpp", "casts"): "a line for each op",
    ("tools/replay/hooks/value_instructions.cpp", "add_value_instructions"): "an entry for each instruction",
}
SCOPE = re.compile(r"\b(?:namespace|class|struct|union|enum)\b[^()]*$|\bextern\s*$")
TOKEN = re.compile(r"[{};]")
NAME = re.compile(r"(\w+)\s*\(")


def functions(text):
    """(name, lines, line of its brace) of every function with a body, those of classes included."""
    text = cpp_text.blanked(text)
    text = cpp_text.DIRECTIVE.sub(lambda m: cpp_text.blank(m.group(0)), text)
    open_braces, start = [], 0  # for each: is it a scope, where, and the name of the function that it begins
    for m in TOKEN.finditer(text):
        if m.group() == "{":
            head = text[start:m.start()].strip()
            scope = bool(SCOPE.search(head)) and all(b[0] for b in open_braces)
            found = NAME.search(head) if not scope and all(b[0] for b in open_braces) and not head.endswith("=") else None
            open_braces.append((scope, m.start(), found and found.group(1)))
        elif m.group() == "}" and open_braces:
            _, at, named = open_braces.pop()
            if named:
                yield named, text.count("\n", at, m.start()) + 1, text.count("\n", 0, at) + 1
        start = m.end()


def of_files(files, name, read):
    for path in files:
        lines = read(path).count("\n")
        if lines > FILE_LIMIT and not name(path).startswith(TABLE_FILES):
            yield f"{name(path)}: {lines} lines ({FILE_LIMIT} at most)"


def of_functions(files, name, read):
    unused = set(TABLES)
    for path in files:
        for function, lines, line in functions(read(path)):
            if lines <= LIMIT:
                continue
            unused.discard((name(path), function))
            if (name(path), function) not in TABLES:
                yield f"{name(path)}:{line}: {function} has {lines} lines ({LIMIT} at most, but for tables)"
    for path, function in sorted(unused):
        yield f"test/rules/sizes.py: {function} of {path} is no longer too long: take its row away"
