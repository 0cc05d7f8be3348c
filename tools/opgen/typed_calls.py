"""The C++ calls of every schema, for the tests that hold them beside the calls by name: as a method, in a namespace of the
op's own, and with nothing after the last argument without a default."""

from opgen_text import BANNER


def method_call(op):
    first, *rest = op.bound_arguments()
    return f"{first}.{op.cpp_name}({', '.join(rest)})"


def shortest_call(op):
    """Only what must be given; None where that is everything, or means another schema of the same name."""
    given = op.last_required(op.cpp_args) + 1
    if given == len(op.cpp_args) or given == 0:
        return None
    return f"reel::{op.cpp_name}({', '.join(op.bound_arguments()[:given])})"


def shortest_is_taken(op, ops):
    """Another function of the name takes the same arguments."""
    given = op.last_required(op.cpp_args) + 1
    kinds = [a.base.rstrip("?") for a in op.cpp_args[:given]]
    return any(o is not op and o.cpp_name == op.cpp_name and o.last_required(o.cpp_args) < given
               and [a.base.rstrip("?") for a in o.cpp_args[:given]] == kinds for o in ops)


def forms(op, ops):
    """(name, expression, places of the schema's arguments that must stand at their defaults)"""
    places = [op.args.index(a) for a in op.cpp_args]
    unsaid = [i for i in range(len(op.args)) if i not in places and op.args[i].name not in op.legacy]
    if "method" in op.flags:
        yield "method", method_call(op), unsaid
    if op.space:
        yield "namespace", f"reel::{op.space}::{op.short}({op.bound()})", unsaid
    short = shortest_call(op)
    if short and not shortest_is_taken(op, ops):
        given = places[:op.last_required(op.cpp_args) + 1]
        yield "defaults", short, [i for i in range(len(op.args)) if i not in given]


def typed_calls(family, ops, every):
    out = [BANNER, f"#include <reel/autograd/ops/{family}.hpp>\n#include <reel/autograd/tensor.hpp>\n\n"
           '#include "op/convert.hpp"\n#include "properties/typed_call.hpp"\n\nnamespace properties {\n\n',
           f"void add_{family}_calls(std::vector<TypedCall>& list) {{\n    using namespace reel::ops::convert;\n"]
    for op in ops:
        for name, call, unsaid in forms(op, every):
            body = f"return result({call});"
            out.append(f'    list.push_back({{"{op.text}", "{name}", {{{", ".join(map(str, unsaid))}}},\n'
                       f"                    [](std::span<const Value> v) -> Value {{ (void)v; {body} }}}});\n")
    out.append("}\n\n} // namespace properties\n")
    return "".join(out)


def typed_call_index(ops, families):
    out = [BANNER, '#include "properties/typed_call.hpp"\n\nnamespace properties {\n\n']
    out += [f"void add_{f}_calls(std::vector<TypedCall>& list);\n" for f in families]
    out.append("\nstd::vector<TypedCall> typed_calls() {\n    std::vector<TypedCall> list;\n")
    out += [f"    add_{f}_calls(list);\n" for f in families]
    out.append("    return list;\n}\n\nstd::string_view place_of(std::string_view schema) {\n"
               "    static constexpr std::pair<std::string_view, std::string_view> places[] = {\n")
    # without the line, which changes with everything that is written above it
    out += [f'        {{"{o.text}", "{o.file}"}},\n' for op in ops for o in [op, *op.others]]
    out.append("    };\n    for (const auto& [text, place] : places)\n        if (text == schema) return place;\n"
               "    return {};\n}\n\n} // namespace properties\n")
    return "".join(out)


def typed_call_files(ops, families):
    """(name, text) of each file."""
    yield "typed_calls.cpp", typed_call_index(ops, families)
    for family in families:
        yield f"typed_calls_{family}.cpp", typed_calls(family, [o for o in ops if o.source.split("/")[0] == family], ops)
