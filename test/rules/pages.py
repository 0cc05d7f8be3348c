"""Rules of the pages: links lead somewhere, every page is reached, what a page names is there."""
import re

import sizes


def anchors(text):
    """What a link into a page may name: anchors that it sets, and its headings as forges spell them."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    found = set(re.findall(r'<a id="([^"]+)">', text))
    for heading in re.findall(r"^#+ (.+)$", text, re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-"))
    return found


def links_between_pages_lead_somewhere(root, files, name, read):
    """Relative links, outside of code, to files and to anchors in pages."""
    seen = {}
    for path in files:
        if path.suffix == ".md":
            text = re.sub(r"```.*?```|`[^`\n]*`", "", read(path), flags=re.S)
            for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", text):
                to = (path.parent / target).resolve() if target else path
                if not to.exists():
                    yield f"{name(path)}: {target}"
                elif anchor:
                    if to not in seen:
                        seen[to] = anchors(read(to))
                    if anchor not in seen[to]:
                        yield f"{name(path)}: {target} has no #{anchor}"


def every_page_is_reached_from_the_index(root, files, name, read):
    """From doc/README.md, over links, one gets to every page of doc."""
    reached, waiting = set(), [root / "doc/README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or not page.is_file():
            continue
        reached.add(page)
        if page.suffix == ".md":
            waiting += [(page.parent / t).resolve() for t in re.findall(r"\]\(([^)#:\s]+)", read(page))]
    for path in files:
        if path.suffix == ".md" and path.is_relative_to(root / "doc") and path not in reached:
            yield name(path)


def every_decision_is_in_the_index(root, files, name, read):
    index = root / "doc/adr/README.md"
    if index.exists():
        text = read(index)
        for page in sorted(index.parent.glob("[0-9]*.md")):
            if f"({page.name})" not in text:
                yield f"doc/adr/README.md: does not list {page.name}"


def generated(root):
    """The text of the generators, in which the names of the headers stand that they write."""
    return "".join(p.read_text() for p in sorted((root / "tools").rglob("*.py")))


def files_that_decisions_and_walks_name_exist(root, files, name, read):
    """`tape/step.cpp` in a page of doc/adr or doc/contributing ends the name of a file, or of a header that the build
    writes. What used to be stands below a heading `Before`."""
    ends = set()
    for path in files:
        parts = name(path).split("/")
        ends.update("/".join(parts[i:]) for i in range(len(parts)))
    written = generated(root)
    for path in files:
        if path.suffix == ".md" and path.parent.name in ("adr", "contributing"):
            text = re.sub(r"```.*?```", lambda m: "\n" * m.group().count("\n"), read(path).split("\n## Before\n")[0], flags=re.S)
            for i, line in enumerate(text.splitlines(), 1):
                for named in re.findall(r"`([a-z_0-9/]+/[a-z_0-9]+\.(?:cpp|hpp|cuh?|py|sh))`", line):
                    by_family = named.startswith("reel/autograd/ops")
                    if named not in ends and not by_family and named.split("/")[-1] not in written:
                        yield f"{name(path)}:{i}: there is no {named}"


def walks_name_what_is_there(root, files, name, read):
    """Each function of a row of doc/contributing/walks.md has its body, or is declared as a kernel, in a file of that row."""
    page = root / "doc/contributing/walks.md"
    if not page.exists():
        return
    table = read(page).split("## Files and functions, now")[1].split("\n## ")[0]
    for place, functions in re.findall(r"^\|[^|\n]*\|([^|\n]*)\|([^|\n]*)\|$", table, re.M)[2:]:
        named = re.findall(r"`([^`]+)`", place)
        texts = [read(p) for p in files if any(name(p).endswith("/" + n) for n in named)]
        bodies = {function for text in texts for function, _, _ in sizes.functions(text)}
        for function in re.findall(r"`([^`]+)`", functions):
            last = function.split("::")[-1].removesuffix("()")
            at_margin = re.compile(rf"^(?:\w[^\n;=]*)?\b{last}[({{]|^class {last}\b|^    [^\n;=]*\b{last}\([^\n;]*{{$", re.M)
            if last not in bodies and not any(at_margin.search(text) for text in texts):
                yield f"doc/contributing/walks.md: {function} is in none of {', '.join(named)}"


def the_readme_shows_the_second_example(root, files, name, read):
    readme, example = root / "README.md", root / "examples/02_training_loop.cpp"
    if not readme.exists() or not example.exists():
        return
    blocks = re.findall(r"```cpp\n(.*?)```", read(readme), re.S)
    code = re.sub(r"\A(?://[^\n]*\n)+", "", read(example)).strip()
    if not any(b.strip() == code for b in blocks):
        yield "README.md: no ```cpp block equals examples/02_training_loop.cpp (without its opening comment)"


def snippets_of_the_guide_stand_in_examples(root, files, name, read):
    """Every ```cpp block of doc/guide is, indentation aside, a run of lines of an example, so CI compiles it; those of
    the pages for who comes from libtorch or PyTorch stand in test/surface."""
    def lines(text):
        return "\n".join(line.strip() for line in text.strip().splitlines())
    examples = [lines(read(p)) for p in files if p.suffix == ".cpp" and p.relative_to(root).parts[0] == "examples"]
    surface = [lines(read(p)) for p in files if p.suffix == ".cpp" and p.is_relative_to(root / "test/surface")]
    surface.append(lines(read(root / "test/ports/torch/torch.h")))
    for path in files:
        if path.suffix == ".md" and path.is_relative_to(root / "doc/guide"):
            compiled = surface if path.name in ("from-libtorch.md", "from-pytorch.md") else examples
            for block in re.findall(r"```cpp\n(.*?)```", read(path), re.S):
                if not any(lines(block) in e for e in compiled):
                    first = block.strip().splitlines()[0].strip()
                    yield f"{name(path)}: nothing that is compiled contains the block that starts with: {first}"


RULES = [links_between_pages_lead_somewhere, every_page_is_reached_from_the_index, every_decision_is_in_the_index,
         files_that_decisions_and_walks_name_exist, walks_name_what_is_there, the_readme_shows_the_second_example,
         snippets_of_the_guide_stand_in_examples]
