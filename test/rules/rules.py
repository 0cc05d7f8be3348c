#!/usr/bin/env python3
"""The rules of the house that can be read off the files: who may use whom, what stays out of public headers, sizes."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# library -> the libraries it may use (doc/adr/0018 holds the table); nobody may use cuda or fftw, reel is the umbrella
MAY_USE = {
    "autograd": [],
    "nn": ["autograd"],
    "optim": ["autograd"],
    "cuda": ["autograd"],
    "fftw": ["autograd"],
    "serialize": ["autograd"],
    "jit": ["autograd", "nn", "serialize"],
    "data": ["autograd"],
    "distributed": ["autograd", "nn"],
    "rl": ["autograd", "nn", "data", "serialize"],
    "inspect": ["autograd", "nn", "optim"],
    "reel": ["autograd", "nn", "optim", "data", "serialize", "inspect"],
}
# folder of libs/autograd/src -> the folders above it, of which it includes nothing
ABOVE = {"tensor": {"tape", "op", "ops"}, "tape": {"op", "ops"}, "cpu": {"tape", "op", "ops"}, "op": {"ops"}}
# header, or file and header -> why that is allowed all the same
REACHES_UP = {
    "op/dispatch.hpp": "from a dtype to an element type; it knows neither the tape nor the registry",
    ("libs/autograd/src/cpu/optimizer_step.cpp", "tape/inplace.hpp"): "a fused step checks that its operands may be written",
}
# foreign header (start of its name) -> the libraries that may include it
FOREIGN = {
    "cblas": ["autograd"], "lapack": ["autograd"], "openblas": ["autograd"], "sleef": ["autograd"], "fftw3": ["fftw"],
    "cuda": ["cuda"], "cublas": ["cuda"], "cudnn": ["cuda"], "nccl": ["distributed"], "boost/mpi": ["distributed"],
}
HEAVY = {"iostream", "regex", "map", "thread", "future", "filesystem", "random", "chrono", "format", "ranges"}
# loaders take a std::chrono timeout, as libtorch's do
NEEDS_HEAVY = {("libs/data/include/reel/data/dataloader_options.hpp", "chrono")}
# how many rules each letter has in the specification; every number up to that exists
RULE_IDS = {"C": 34, "B": 48, "T": 37, "E": 91, "M": 54, "MS": 27, "DR": 1, "SP": 1, "EN": 10, "TD": 4, "LN": 4, "RI": 11, "MO": 5,
            "BH": 8, "RP": 3, "SM": 13, "PT": 14, "PK": 9, "SR": 14, "PW": 5, "TS": 12, "ST": 5}
SPECIFICATION = ROOT.parent / "shared/spec"  # beside the checkout, when it is there
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
SOURCES = (".cpp", ".hpp", ".cu", ".cuh", ".inc")


def files():
    """Every file of the tree that is ours: tracked, or new and not ignored; without git, everything but build outputs."""
    try:
        text = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"], check=True,
                              capture_output=True, text=True).stdout
        found = [ROOT / line for line in text.splitlines()]
    except (OSError, subprocess.CalledProcessError):
        found = [p for p in ROOT.rglob("*") if p.relative_to(ROOT).parts[0] not in ("out", "bin", ".git")]
    return sorted(p for p in found if p.is_file())


ALL = files()
IN_LIBS = [p for p in ALL if p.suffix in SOURCES and p.relative_to(ROOT).parts[0] == "libs"]


def name(path):
    return path.relative_to(ROOT).as_posix()


def lib(path):
    return path.relative_to(ROOT).parts[1]


def is_public(path):
    return path.relative_to(ROOT).parts[2] == "include"


def read(path):
    return path.read_text(encoding="utf-8", errors="replace")


def includes(path):
    text = read(path)
    for m in INCLUDE.finditer(text):
        yield m.group(1), m.group(2), text.count("\n", 0, m.start()) + 1


def used_lib(header):
    """The library that a <reel/...> header belongs to, None for others."""
    m = re.match(r"reel/([a-z_]+)(?:/|\.hpp)", header)
    return m.group(1) if m else None


def libraries_use_only_what_they_may():
    for path in IN_LIBS:
        for _, header, line in includes(path):
            used = used_lib(header)
            if used in (None, lib(path)) or (used == "version" and lib(path) == "reel"):
                continue
            if used not in MAY_USE.get(lib(path), []):
                yield f"{name(path)}:{line}: {lib(path)} may not use {used} ({header})"


def every_library_is_in_the_table():
    for folder in sorted({lib(p) for p in IN_LIBS}):
        if folder not in MAY_USE:
            yield f"libs/{folder}: not in the table of test/rules/rules.py and doc/adr/0018"


def quoted_includes_stay_in_their_own_library():
    for path in IN_LIBS:
        own = ROOT / "libs" / lib(path) / "src"
        for quote, header, line in includes(path):
            if quote == '"' and not ((path.parent / header).exists() and own in (path.parent / header).resolve().parents) \
                    and not (own / header).exists():
                yield f'{name(path)}:{line}: "{header}" is not below libs/{lib(path)}/src'


def public_headers_include_only_public_headers():
    for path in IN_LIBS:
        if is_public(path):
            for quote, header, line in includes(path):
                if quote == '"':
                    yield f'{name(path)}:{line}: "{header}": use <reel/...>'


def layers_use_only_what_lies_below():
    """Within autograd: tensors know no tape, the tape knows no ops, kernels know neither."""
    for path in IN_LIBS:
        folder = path.relative_to(ROOT).parts[3] if lib(path) == "autograd" and not is_public(path) else None
        for quote, header, line in includes(path):
            used = header.split("/")[0]
            if quote == '"' and used in ABOVE.get(folder, ()) and (name(path), header) not in REACHES_UP \
                    and header not in REACHES_UP:
                yield f"{name(path)}:{line}: {folder}/ may not use {used}/ ({header})"


def foreign_headers_stay_where_they_belong():
    for path in IN_LIBS:
        for _, header, line in includes(path):
            for start, allowed in FOREIGN.items():
                if header.startswith(start) and lib(path) not in allowed:
                    yield f"{name(path)}:{line}: {lib(path)} may not include <{header}>"


def no_cuda_header_in_a_public_header():
    for path in IN_LIBS:
        if is_public(path):
            for _, header, line in includes(path):
                if re.match(r"(cuda|cublas|cudnn|curand|nccl|cub/|thrust/|device_launch)", header):
                    yield f"{name(path)}:{line}: <{header}>"


def public_headers_are_cheap():
    for path in IN_LIBS:
        if is_public(path):
            for quote, header, line in includes(path):
                if quote == "<" and header in HEAVY and (str(name(path)), header) not in NEEDS_HEAVY:
                    yield f"{name(path)}:{line}: <{header}> in a public header"


def headers_are_guarded():
    for path in ALL:
        if path.suffix == ".hpp" and "#pragma once" not in read(path):
            yield f"{name(path)}: no #pragma once"


def files_stay_short():
    for path in ALL:
        if path.suffix in SOURCES + (".py", ".sh", ".jam") or path.name == "Jamroot":
            lines = read(path).count("\n")
            if lines > 800:
                yield f"{name(path)}: {lines} lines (800 at most)"


def names_are_snake_case():
    for path in ALL:
        if path.suffix in SOURCES and not re.fullmatch(r"[a-z0-9_]+", path.stem):
            yield name(path)


def no_file_knows_the_machine_it_was_written_on():
    pattern = re.compile("|".join(["/" + "work/", "/" + "home/[a-z]", "/" + "root/"]))
    for path in ALL:
        if path.suffix in (".safetensors", ".gz", ".jsonl", ".png"):
            continue
        for i, text in enumerate(read(path).splitlines(), 1):
            if pattern.search(text):
                yield f"{name(path)}:{i}: {text.strip()[:100]}"


def the_readme_shows_the_second_example():
    readme, example = ROOT / "README.md", ROOT / "examples/02_training_loop.cpp"
    if not readme.exists() or not example.exists():
        return
    blocks = re.findall(r"```cpp\n(.*?)```", read(readme), re.S)
    code = re.sub(r"\A(?://[^\n]*\n)+", "", read(example)).strip()
    if not any(b.strip() == code for b in blocks):
        yield "README.md: no ```cpp block equals examples/02_training_loop.cpp (without its opening comment)"


def snippets_of_the_guide_stand_in_examples():
    """Every ```cpp block of doc/guide is, indentation aside, a run of lines of an example, so CI compiles it."""
    def lines(text):
        return "\n".join(line.strip() for line in text.strip().splitlines())
    examples = [lines(read(p)) for p in ALL if p.suffix == ".cpp" and p.relative_to(ROOT).parts[0] == "examples"]
    for path in ALL:
        if path.suffix == ".md" and path.is_relative_to(ROOT / "doc/guide"):
            for block in re.findall(r"```cpp\n(.*?)```", read(path), re.S):
                if not any(lines(block) in e for e in examples):
                    yield f"{name(path)}: no example contains the block that starts with: {block.strip().splitlines()[0].strip()}"


def links_between_pages_lead_somewhere():
    for path in ALL:
        if path.suffix == ".md":
            for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", re.sub(r"```.*?```", "", read(path), flags=re.S)):
                if not (path.parent / target).exists():
                    yield f"{name(path)}: {target}"


def every_decision_is_in_the_index():
    index = ROOT / "doc/adr/README.md"
    if index.exists():
        text = read(index)
        for page in sorted(index.parent.glob("[0-9]*.md")):
            if f"({page.name})" not in text:
                yield f"doc/adr/README.md: does not list {page.name}"


def quoted_rules_exist():
    """`E-37` in a test or a header names a rule of the specification."""
    pattern = re.compile(r"(?<![A-Za-z0-9_-])(" + "|".join(sorted(RULE_IDS, key=len, reverse=True)) + r")-(\d+)(?![0-9.]\d|\w)")
    for path in ALL:
        if path.suffix not in SOURCES or "reference" in path.parts:
            continue
        for i, text in enumerate(read(path).splitlines(), 1):
            for letter, number in pattern.findall(text):
                if not 1 <= int(number) <= RULE_IDS[letter]:
                    yield f"{name(path)}:{i}: {letter}-{number}: the specification ends at {letter}-{RULE_IDS[letter]}"


def the_table_of_rules_is_the_specification():
    found = {}
    for file in ("module-and-hooks.md", "seed-systems.md"):
        text = read(SPECIFICATION / file) if (SPECIFICATION / file).exists() else ""
        for a, b, c, d in re.findall(r"\*\*([A-Z]{1,2})-(\d+)\b|^- ([A-Z]{2})-(\d+)\b", text, re.M):
            found.setdefault(a or c, set()).add(int(b or d))
    for letter in RULE_IDS.keys() | found.keys() if found else ():
        if found.get(letter, set()) != set(range(1, RULE_IDS.get(letter, 0) + 1)):
            yield f"{letter}: the specification has {sorted(found.get(letter, ()))}, RULE_IDS says {RULE_IDS.get(letter, 0)}"


def the_page_of_pinned_rules_is_current():
    """doc/conformance.md is what tools/conformance.py writes, and its families are those of the specification."""
    sys.path.insert(0, str(ROOT / "tools"))
    sys.dont_write_bytecode = True
    import conformance
    for family, (count, _) in conformance.FAMILIES.items():
        if count != RULE_IDS[family]:
            yield f"tools/conformance.py: {family} has {RULE_IDS[family]} rules, not {count}"
    if conformance.stale():
        yield "doc/conformance.md is stale: run tools/conformance.py"


RULES = [libraries_use_only_what_they_may, every_library_is_in_the_table, quoted_includes_stay_in_their_own_library,
         public_headers_include_only_public_headers, layers_use_only_what_lies_below,
         foreign_headers_stay_where_they_belong,
         no_cuda_header_in_a_public_header, public_headers_are_cheap, headers_are_guarded, files_stay_short,
         names_are_snake_case, no_file_knows_the_machine_it_was_written_on, quoted_rules_exist, the_table_of_rules_is_the_specification,
         the_readme_shows_the_second_example,
         snippets_of_the_guide_stand_in_examples, links_between_pages_lead_somewhere, every_decision_is_in_the_index,
         the_page_of_pinned_rules_is_current]


def main():
    failed = 0
    for rule in RULES:
        broken = list(rule())
        failed += bool(broken)
        if broken:
            print(f"{rule.__name__.replace('_', ' ')}:")
            print("".join(f"    {b}\n" for b in broken[:20]), end="")
    if not SPECIFICATION.exists():
        print("note: rule ids are checked against the table in rules.py; the specification is not beside this checkout")
    quoted = sum(len(re.findall(r"\b[CBTEM]-\d+\b", read(p))) for p in ALL if p.suffix == ".cpp" and p.relative_to(ROOT).parts[0] == "test")
    print(f"note: tests quote {quoted} rules")
    print(f"{len(RULES) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
