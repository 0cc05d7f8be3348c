"""The registration of schemas and the thunks that call by name."""
from exact_arguments import own_functions
from opgen_text import BANNER

GRADIENT = {"rule": "Rule", "composite": "Composite", "not_differentiable": "None"}


def schema_block(op):
    """Registers one schema: what it says, and thunks from bound values to the C++ function."""
    args, own = op.bound(), {name for name, _ in own_functions(op)}
    out = ["    {\n        Schema s;\n", f'        s.name = "{op.name}";\n        s.returns = "{op.ret}";\n',
           f'        s.text = "{op.text}";\n        s.file = "{op.file}";\n        s.gradient = Gradient::{GRADIENT[op.gradient]};\n']
    if "random" in op.flags:
        out.append("        s.is_random = true;\n")
    if op.has_inplace():
        out.append("        s.has_inplace = true;\n")
    for a in op.args:
        differentiable = a.type.startswith("Tensor") and op.gradient != "not_differentiable" and a.name not in op.constant
        out.append(f'        s.arguments.push_back({{"{a.name}", "{a.type}", {str(a.kwarg_only).lower()}, '
                   f'{str(a.default is not None).lower()}, {a.value_default()}, {str(differentiable).lower()}}});\n')
    space, inplace_space = ("reel::" if name in own else "reel::own::" for name in (op.cpp_name, op.cpp_name + "_"))
    call = f"return result({space}{op.cpp_name}({args}));"
    if op.place("inplace") is not None:
        call = f"if (v[{op.place('inplace')}].toBool()) return result({inplace_space}{op.cpp_name}_({args})); " + call
    if op.place("out") is not None:
        call = (f"if (!v[{op.place('out')}].isNone()) return detail::into_out(\"{op.name}\", v[{op.place('out')}], v, "
                f"[&]() -> Value {{ {call} }}); ") + call
    elif op.takes_out():
        out.append("        s.takes_out = true;\n")
    out.append(f"        s.call = [](std::span<const Value> v) -> Value {{ (void)v; {call} }};\n")
    if op.has_inplace():
        out.append("        s.call_inplace = [](std::span<const Value> v) -> Value { "
                   f"return result({inplace_space}{op.cpp_name}_({args})); }};\n")
    for name in getattr(op, "any_device", ()):
        out.append(f'        may_live_anywhere("{op.text}", "{name}");\n')
    out.append("        r.add(std::move(s));\n    }\n")
    return "".join(out)


def function_of(source):
    """Registers the schemas of one source of ops, "reduce/scan"."""
    return "register_" + source.replace("/", "_")


def registration(source, ops):
    out = [f"namespace reel::ops {{\n\nvoid {function_of(source)}(Registry& r) {{\n    using namespace convert;\n"]
    for op in ops:
        out.append(schema_block(op))
        for alias in op.aliases:
            out.append(f'    r.add_alias("{alias}", "{op.name}");\n')
        out += [schema_block(other) for other in op.others]
    out.append("}\n\n} // namespace reel::ops\n")
    return "".join(out)


def registration_index(sources):
    out = [BANNER, "#include <reel/autograd/op.hpp>\n\nnamespace reel::ops {\n\n"]
    out += [f"void {function_of(s)}(Registry& r);\n" for s in sources]
    out.append("\nvoid register_all(Registry& r) {\n    (void)r;\n")
    out += [f"    {function_of(s)}(r);\n" for s in sources]
    out.append("}\n\n} // namespace reel::ops\n")
    return "".join(out)
