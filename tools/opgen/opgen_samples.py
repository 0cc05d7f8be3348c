"""The samples of the ops, for the tests over the registry.

A block says `samples(call(...), ...)`: calls that go through, as C++ expressions in the words of
test/properties/sample_words.hpp. To the library they are nothing; here they become functions that only the test programs
compile, with the lines of the blocks, so that the compiler's messages lead there. An op without samples, and without
calls among the vendored reference cases, stops the build.
"""
import json
import pathlib
import struct

from opgen_text import BANNER

CASES = "test/reference/samples.safetensors"


def ops_with_cases(root):
    """The names that the vendored reference cases call."""
    path = root / CASES
    if not path.exists():
        return set()
    with path.open("rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
    return {case["op"] for case in json.loads(header["__metadata__"]["cases"])}


def names_of(op):
    return {op.name, *op.aliases, *(other.name for other in op.others)}


def check(ops, root, fail):
    """Stops the build at the first op of which nobody calls any schema."""
    called = ops_with_cases(root).union(*(names_of(op) for op in ops if op.samples))
    for op in ops:
        if not names_of(op) & called:
            fail(op.where, f"no test calls {op.name}: add samples(call(...)) to the block (doc/contributing/op.md)")


def family(op):
    """The folder in which the block stands."""
    return pathlib.PurePosixPath(op.file).parent.name


def one_op(op):
    calls = "        ,\n".join(f'#line {line} "{op.file}"\n        {text.strip()}\n' for line, text in op.samples)
    schemas = ", ".join(f'R"schema({o.text})schema"' for o in (op, *op.others))
    return f'    add(list, "{op.name}", {{{schemas}}}, "{op.where}", {{\n{calls}    }});\n'


def sample_files(ops):
    """(name, text) of what the test programs compile: a file for each family, and one that calls them all."""
    families = sorted({family(op) for op in ops if op.samples})
    for name in families:
        yield f"samples_{name}.cpp", (
            BANNER + '#include "properties/sample_words.hpp"\n\nnamespace properties {\n\n'
            f"void add_samples_of_{name}(std::vector<Sample>& list);\nvoid add_samples_of_{name}(std::vector<Sample>& list) {{\n"
            + "".join(one_op(op) for op in ops if op.samples and family(op) == name) + "}\n\n} // namespace properties\n")
    declared = "".join(f"void add_samples_of_{name}(std::vector<Sample>& list);\n" for name in families)
    called = "".join(f"    add_samples_of_{name}(list);\n" for name in families)
    yield "samples_of_blocks.cpp", (BANNER + '#include "properties/sample.hpp"\n\nnamespace properties {\n\n' + declared
                                    + "void add_samples_of_blocks(std::vector<Sample>& list) {\n" + called
                                    + "}\n\n} // namespace properties\n")
    yield "declared_words.cpp", declared_words(ops)


def declared_words(ops):
    """What the blocks' words say, for the tests that hold them against what the ops do."""
    views = "".join(f'        R"schema({o.text})schema",\n' for op in ops if "view" in op.flags for o in (op, *op.others))
    anywhere = "".join(f'        {{R"schema({o.text})schema", "{name}"}},\n'
                       for op in ops for o in (op, *op.others) for name in getattr(o, "any_device", ()))
    return (BANNER + '#include "properties/declared_words.hpp"\n\nnamespace properties {\n\n'
            "const std::set<std::string>& declared_views() {\n    static const std::set<std::string> schemas{\n" + views
            + "    };\n    return schemas;\n}\n"
            "const std::set<std::pair<std::string, std::string>>& arguments_of_any_device() {\n"
            "    static const std::set<std::pair<std::string, std::string>> arguments{\n" + anywhere
            + "    };\n    return arguments;\n}\n\n} // namespace properties\n")
