"""The registration of schemas and the thunks that call by name."""
from exact_arguments import own_functions
from opgen_text import BANNER

GRADIENT = {"rule": "Rule", "composite": "Composite", "not_differentiable": "None"}


def declaration(op):
    """One row of the table: what the block says, and thunks from bound values to the C++ function."""
    args, own = op.bound(), {name for name, _ in own_functions(op)}
    constant = [a.name for a in op.args if a.type.startswith("Tensor") and a.name in op.constant]
    space, inplace_space = ("reel::" if name in own else "reel::own::" for name in (op.cpp_name, op.cpp_name + "_"))
    call = f"return result({space}{op.cpp_name}({args}));"
    takes_out = op.place("out") is None and op.takes_out()
    if op.place("inplace") is not None:
        call = f"if (v[{op.place('inplace')}].toBool()) return result({inplace_space}{op.cpp_name}_({args})); " + call
    if op.place("out") is not None:
        call = (f"if (!v[{op.place('out')}].isNone()) return detail::into_out(\"{op.name}\", v[{op.place('out')}], v, "
                f"[&]() -> Value {{ {call} }}); ") + call
    thunk = "[](std::span<const Value> v) -> Value {{ (void)v; {} }}"
    inplace = thunk.format(f"return result({inplace_space}{op.cpp_name}_({args}));") if op.has_inplace() else "nullptr"
    said = [op.has_inplace(), takes_out, "random" in op.flags]
    return (f'        {{"{op.text}",\n         "{op.file}", "{", ".join(constant)}", Gradient::{GRADIENT[op.gradient]}, '
            f'{", ".join(str(word).lower() for word in said)},\n         {thunk.format(call)},\n         {inplace}}},\n')


def function_of(source):
    """Registers the schemas of one source of ops, "reduce/scan"."""
    return "register_" + source.replace("/", "_")


def registration(source, ops):
    """A table, which `declare` reads: code that fills in each schema would be ten times its size."""
    out = [f"namespace reel::ops {{\n\nvoid {function_of(source)}(Registry& r) {{\n    using namespace convert;\n"]
    all_schemas = [schema for op in ops for schema in (op, *op.others)]
    for op in all_schemas:
        out += [f'    may_live_anywhere("{op.text}", "{name}");\n' for name in getattr(op, "any_device", ())]
    out += ["    static constexpr Declaration all[] = {\n", *map(declaration, all_schemas), "    };\n    declare(r, all);\n"]
    out += [f'    r.add_alias("{alias}", "{op.name}");\n' for op in ops for alias in op.aliases]
    out.append("}\n\n} // namespace reel::ops\n")
    return "".join(out)


def registration_index(sources):
    out = [BANNER, "#include <reel/autograd/op.hpp>\n\nnamespace reel::ops {\n\n"]
    out += [f"void {function_of(s)}(Registry& r);\n" for s in sources]
    out.append("\nvoid register_all(Registry& r) {\n    (void)r;\n")
    out += [f"    {function_of(s)}(r);\n" for s in sources]
    out.append("}\n\n} // namespace reel::ops\n")
    return "".join(out)
