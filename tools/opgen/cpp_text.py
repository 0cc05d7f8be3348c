"""Reading C++ sources without a compiler: comments and strings blanked, brackets matched, definitions told apart."""
import re

NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(?P<tag>\w*)\(.*?\)(?P=tag)"|"(?:[^"\\\n]|\\.)*"|(?<!\w)\'(?:[^\'\\\n]|\\.)*\'', re.S)
BRACKET = re.compile(r"[()\[\]{}]")
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:[^\n]*\\\n)*[^\n]*)", re.M)
NAMESPACE = re.compile(r"\s*(?:inline\s+)?namespace\b[^;()]*$")
CLOSES = {")": "(", "]": "[", "}": "{"}


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def blanked(text):
    """The same text, character for character, with comments and literals turned into blanks."""
    return NOISE.sub(lambda m: blank(m.group(0)), text)


def closing(text, at):
    """Where the bracket that opens at `at` closes; the end of the text when it does not."""
    depth = 0
    for m in BRACKET.finditer(text, at):
        depth += -1 if m.group(0) in CLOSES else 1
        if depth == 0:
            return m.start()
    return len(text)


def first_definition(text, at, end):
    """What stands in a blanked text from `at` to the end of the first body in braces or to the first semicolon."""
    i = at
    while i < end:
        if text[i] in "([":
            i = closing(text, i)
        elif text[i] == "{":
            return text[at:closing(text, i) + 1]
        elif text[i] == ";":
            return text[at:i + 1]
        i += 1
    return text[at:end]


def defined_name(head):
    """The name that the text before a definition's brace introduces."""
    head = re.sub(r"\[\[.*?\]\]|\btemplate\b|\balignas\([^)]*\)", " ", head)
    m = re.search(r"\b(?:struct|class|union|enum)\s+(?:class\s+)?(\w+)\s*(?:<.*>\s*)?(?:final\s*)?(?::[^:].*)?$", head, re.S)
    m = m or re.search(r"(\w+)\s*=\s*(?:\[.*)?$", head, re.S)
    m = m or re.search(r"(~?\w+)\s*\(", re.sub(r"\brequires\b.*?(?=\n)|\bdecltype\([^)]*\)", " ", head))
    return m and m.group(1)


def definitions(text):
    """(name, text) of what a blanked source defines at the level of its namespaces: functions, types, macros."""
    for m in MACRO.finditer(text):
        yield m.group(1), m.group(2)
    text = DIRECTIVE.sub(lambda m: blank(m.group(0)), text)
    i = start = 0
    for m in re.finditer(r"[(\[{};]", text):
        if m.start() < i:
            continue
        if m.group(0) in "([":
            i = closing(text, m.start())
        elif m.group(0) in ";}":
            start = m.end()
        elif NAMESPACE.match(text[start:m.start()]):
            start = m.end()
        else:
            i = closing(text, m.start())
            name = defined_name(text[start:m.start()])
            if name:
                yield name, text[start:i + 1]
            start = i + 1


def conditional_lines(text):
    """The lines of a blanked source that stand between #if and #endif or inside a directive."""
    lines, depth = set(), 0
    for m in DIRECTIVE.finditer(text):
        first = text.count("\n", 0, m.start()) + 1
        lines |= set(range(first, first + m.group(0).count("\n") + 1))
        word = re.match(r"[ \t]*#[ \t]*(\w*)", m.group(0)).group(1)
        if word in ("if", "ifdef", "ifndef"):
            depth, opened = depth + 1, first if depth == 0 else opened
        elif word == "endif" and depth:
            depth -= 1
            if depth == 0:
                lines |= set(range(opened, first + 1))
    if depth:
        lines |= set(range(opened, text.count("\n") + 2))
    return lines
