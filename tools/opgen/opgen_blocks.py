"""Finds the blocks `REEL_OP("schema", flags)` and stops the build at each that cannot be read.

A block stands at the beginning of a line, in a source below the folder of the ops or above a rule in a header of pointwise
rules, outside of macros and of #if: what the build does not read it does not declare, and what it reads is compiled. Everything else in the libraries that says REEL_OP
is an error, so no op escapes the checks.
"""
import re

import cpp_text
import pointwise_rules

LIBRARIES, OPS, DEFINED_IN = "libs", "libs/autograd/src/ops", "libs/autograd/include/reel/autograd/op_block.hpp"
RULES = pointwise_rules.FOLDER  # blocks above pointwise rules
BLOCK = re.compile(r'^REEL_OP\(((?:\s*"(?:[^"\\]|\\.)*")+)\s*(?:,|(?=\)))', re.M)
FLAGS = re.compile(r'(?:[^()"]|"[^"]*"|\((?:\s*"[^"]*")+\))*')
DETAIL = re.compile(r'(\w+)\("([^"]+)"\)')
SAMPLES = re.compile(r"\bsamples\s*\(")
DOMAIN = re.compile(r"\bdomain\s*\(([^()]*)\)\s*,?")
DEFINITION = re.compile(r"#[ \t]*define[ \t]+REEL_OP\(.*")
PLACES = re.compile(r"\bREEL_OP\b|\bREEL_[ \t]*##|##[ \t]*_OP\b")  # also what a macro would paste together
SUFFIXES = {".cpp", ".hpp", ".h", ".inc", ".cu", ".cuh"}


class Block:
    """One block: the schema's text, its flags, what its words with texts say, its samples as (line, text of what stands in
    `samples(...)`), the bounds that `domain(...)` says as texts, and the definition it stands above."""

    def __init__(self, path, where, schema, flags, details, samples, domain, body):
        self.path, self.where, self.schema, self.flags, self.details = path, where, schema, flags, details
        self.samples, self.domain, self.body = samples, domain, body

    @property
    def above_rule(self):
        """Does the block stand in a header of pointwise rules?"""
        return self.where.startswith(RULES + "/")

    def texts(self, word):
        """What `word("text")` says in the block, once for each time that it stands there."""
        return [text for w, text in self.details if w == word]


def split_flags(text):
    """(words, [(word, text)]) of a block's flags."""
    text = re.sub(r'"\s*"', "", text or "")
    words = {f.strip() for f in DETAIL.sub("", text).split(",")} - {""}
    return words, DETAIL.findall(text)


def read(sources, root, fail):
    """Every block of the tree below `root`, in the order of files and lines; `fail(where, text)` stops the build."""
    blocks = []
    for path in sorted((p for p in (root / LIBRARIES).rglob("*") if p.suffix in SUFFIXES),
                       key=lambda p: home(p.relative_to(root).as_posix())):
        name = path.relative_to(root).as_posix()
        raw = sources.raw.get(path) or path.read_text(errors="replace")
        if "REEL_" not in raw:
            continue
        text = sources.text.get(path) or cpp_text.blanked(raw)
        places = [m.start() for m in PLACES.finditer(text)]
        found = {m.start(): m for m in BLOCK.finditer(raw)}
        hidden = cpp_text.conditional_lines(text) if places else set()
        for i, at in enumerate(places):
            line = text.count("\n", 0, at) + 1
            where = f"{name}:{line}"
            if name == DEFINED_IN and DEFINITION.match(text.splitlines()[line - 1]):
                continue
            if line in hidden:
                fail(where, "REEL_OP stands in a macro or between #if and #endif, where the build cannot read it; write the "
                     "block out")
            if not (path.suffix == ".cpp" and name.startswith(OPS + "/") or path.suffix == ".hpp" and name.startswith(RULES + "/")):
                fail(where, f"REEL_OP stands outside of the sources below {OPS} and the rules in {RULES}; move the op there")
            said, samples = _flags_and_samples(raw, text, at, found[at].end()) if at in found else (None, None)
            bounds = DOMAIN.search(said or "")
            if bounds:
                said = said[:bounds.start()] + said[bounds.end():]
            if said is None or not FLAGS.fullmatch(said):
                fail(where, 'cannot read the block; expected, at the beginning of a line, REEL_OP("name(Type arg, ...) -> Type", '
                     "flags)")
            flags, details = split_flags(said)
            schema = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found[at].group(1)))
            blocks.append(Block(path, where, schema, flags, details, samples,
                                [b.strip() for b in bounds.group(1).split(",")] if bounds else None,
                                _body(text, places, found, i)))
    return blocks


def _flags_and_samples(raw, text, at, begin):
    """What the block at `at` says after its schema, without its samples; and these as (line, text). None without its
    end."""
    end = cpp_text.closing(text, text.index("(", at))
    said, samples = "", []
    if end == len(text):
        return None, None
    while (m := SAMPLES.search(text, begin, end)):
        close = cpp_text.closing(text, m.end() - 1)
        samples.append((text.count("\n", 0, m.end()) + 1, raw[m.end():close]))
        said, begin = said + raw[begin:m.start()], close + 1
    return said + raw[begin:end], samples


def home(name):
    """Where a file's ops belong among the families: the rules of one stand beside its functions."""
    return name.replace(RULES, OPS + "/pointwise")


def _body(text, places, found, i):
    """The definition below a block; blocks that follow each other share one."""
    def behind(at):
        return cpp_text.closing(text, text.index("(", at)) + 1
    while i + 1 < len(places) and places[i + 1] in found and not text[behind(places[i]):places[i + 1]].strip():
        i += 1
    end = places[i + 1] if i + 1 < len(places) else len(text)
    return cpp_text.first_definition(text, behind(places[i]), end) if places[i] in found else ""
