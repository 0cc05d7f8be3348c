"""The forms of ops that write into tensors of the caller: `add_out(out, a, b)`."""

from exact_arguments import guards_of_out
from opgen_text import BANNER


def outputs(op):
    """The parameters that the form writes into, as (declaration, name)."""
    kind = "TensorList " if op.cpp_ret.startswith("std::vector") else "const Tensor& "
    return [(kind + n, n) for n in op.outs()]


def returned(op):
    return {"Tensor": "Tensor&", "std::vector<Tensor>": "void"}.get(
        op.cpp_ret, "std::tuple<" + ", ".join(["Tensor&"] * len(op.outs())) + ">")


def out_signature(op, defaults):
    """The form that writes into the caller's tensors. Where there are options, the output says dtype and device."""
    into = [declared for declared, _ in outputs(op)]
    shown = [a for a in op.cpp_args if a.type != "TensorOptions"]
    last_required = op.last_required(shown)
    rest = [a.cpp() + (a.cpp_default() if defaults and i > last_required else "") for i, a in enumerate(shown)]
    return f"{returned(op)} {op.cpp_name}_out({', '.join(into + rest)})"


def guards(op, ops, seen):
    """What is declared beside the form, so that a bool is no number there and a number no bool."""
    return guards_of_out(op, ops, outputs(op), returned(op), seen)


def out_definitions(ops):
    out = []
    for op in ops:
        outs = op.outs()
        if not outs:
            continue
        operands = ", ".join(outs + [a.name for a in op.cpp_args if a.type != "TensorOptions"])
        given = ", ".join(f"{outs[0]}.options().requires_grad(false)" if a.type == "TensorOptions" else a.name
                          for a in op.cpp_args)
        form = f'const detail::OutForm form("{op.name}", {operands});'
        call = f"own::{op.cpp_name}({given})"
        if op.cpp_ret == "Tensor":
            body = f"return form.write({outs[0]}, {call});"
        elif op.cpp_ret == "std::vector<Tensor>":
            body = f"form.write({outs[0]}, TensorList({call}));"
        else:
            results = ", ".join(f"std::get<{i}>(computed)" for i in range(len(outs)))
            back = ", ".join(f"const_cast<Tensor&>({n})" for n in outs)
            body = (f"const auto computed = {call};\n    const Tensor outs[] = {{{', '.join(outs)}}}, results[] = {{{results}}};\n"
                    f"    form.write(outs, results);\n    return {{{back}}};")
        out.append(f"{out_signature(op, False)} {{\n    {form}\n    {body}\n}}\n")
    return out


def exact_list(ops):
    """The ops whose outputs must have the result's own dtype."""
    names = sorted({n for op in ops if "out_exact" in op.flags for n in [op.name, *op.aliases, *(o.name for o in op.others)]})
    listed = ",\n".join(f'    "{n}"' for n in names)
    return (BANNER + '#include "op/out.hpp"\n\n#include <algorithm>\n#include <iterator>\n#include <string_view>\n\n'
            "namespace reel::detail {\n\nbool out_has_exact_dtype(std::string_view op) {\n"
            f"    static constexpr std::string_view names[] = {{\n{listed}}};\n"
            "    return std::binary_search(std::begin(names), std::end(names), op);\n}\n\n} // namespace reel::detail\n")
