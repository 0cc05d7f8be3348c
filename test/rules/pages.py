"""Rules of the pages: links lead somewhere, and every page is reached."""
import re


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


def every_page_is_reached_from_the_index(root, files, name):
    """From doc/README.md, over links, one gets to every page of doc."""
    reached, waiting = set(), [root / "doc/README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or not page.is_file():
            continue
        reached.add(page)
        if page.suffix == ".md":
            waiting += [(page.parent / t).resolve() for t in re.findall(r"\]\(([^)#:\s]+)", page.read_text())]
    for path in files:
        if path.suffix == ".md" and path.is_relative_to(root / "doc") and path not in reached:
            yield name(path)


def every_decision_is_in_the_index(root, read):
    index = root / "doc/adr/README.md"
    if index.exists():
        text = read(index)
        for page in sorted(index.parent.glob("[0-9]*.md")):
            if f"({page.name})" not in text:
                yield f"doc/adr/README.md: does not list {page.name}"
