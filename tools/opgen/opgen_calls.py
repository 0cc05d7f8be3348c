"""What callers link to and what the library links to itself: every op's function is two.

The function that callers know, `reel::relu`, is written here: it looks whether somebody takes calls
(reel/autograd/op_calls.hpp), and goes on to the op's own. The library's own sources read headers of the same names in which each
declaration is bound to the op's own function instead, by a label of its own for the linker, `reel::own::relu`: what an op
calls is no call of a user's. So no source of an op knows of the two. Where parameters have exact types the op's own function has
plain ones already, and only the form that checks them is bound anew.
"""
from collections import Counter

from exact_arguments import EXACT, has_own_form
from opgen_argument import TYPES
from opgen_out import out_signature, outputs, returned

BY_REFERENCE = {"TensorOptions", "Generator?"}  # what is no plain number of registers


def name_functions(ops):
    """Gives each op `labels`: what the linker calls its own functions, by form ("", "_", "_out")."""
    seen = Counter()

    def label(name):
        seen[name] += 1
        unique = name + f"_{seen[name]}" * (seen[name] > 1)
        return f"_ZN4reel3own{len(unique)}{unique}E"

    for op in ops:
        op.labels = {"": label(op.cpp_name)}
        if op.has_inplace():
            op.labels["_"] = label(op.cpp_name + "_")
        if op.outs():
            op.labels["_out"] = label(op.cpp_name + "_out")
    labels = [l for op in ops for l in op.labels.values()]
    assert len(labels) == len(set(labels)), "two functions of ops would be one to the linker"


def own_header(header, declarations):
    """The header that the library's own sources find. One that calls ops as users do says so, and gets the users'."""
    return f"#pragma once\n\n#ifdef REEL_CALLS_OPS\n#include_next <{header}>\n#else\n\n{declarations}\n#endif\n"


def bound(op, form, own):
    """What follows a declaration that the library's own sources read."""
    return f' __asm__("{op.labels[form]}")' if own else ""


def of_this_file(lines, own):
    """Inline functions of the library's own headers call other functions than the public ones of their names do."""
    if not own:
        return lines
    return [l if "= delete" in l else l.replace("inline ", "static inline ", 1) if l.startswith("inline ")
            else l.replace("> ", "> static ", 1) if l.startswith("template <detail::Integer") else l for l in lines]


def own_declarations(op):
    """The op's own functions under names that do not hide the callers'."""
    params = op.params(0, False, exact=op.exact)
    out = [f"{op.cpp_ret} {op.cpp_name}({params}){bound(op, '', True)};\n"]
    if op.has_inplace():
        out.append(f"Tensor& {op.cpp_name}_({params}){bound(op, '_', True)};\n")
    if op.outs():
        out.append(f"{out_signature(op, False)}{bound(op, '_out', True)};\n")
    return out


def handed_on(a, plain):
    if a.type == "Generator?":
        return f"std::move({a.name})"
    return f"{EXACT[a.base][1]}({a.name})" if plain and a.base in EXACT else a.name


def call_of_own(op, name):
    """The op's own function, from one that takes the callers' parameters."""
    plain = has_own_form(op)
    return f"{'' if plain else 'own::'}{name}({', '.join(handed_on(a, plain) for a in op.cpp_args)})"


def taken(op, result, form, leading=()):
    """Hands a call over to whoever takes it, with one value for each argument of the schema. `leading`: the tensors that
    the form writes into, which say what the options would."""
    kinds = [result] + [declared.rpartition(" ")[0] for declared, _ in leading]
    given = [f'"{op.text}"', f"ops::OpForm::{form}"] + [n for _, n in leading]
    for a in op.args:
        if a not in op.cpp_args or leading and a.type == "TensorOptions":
            kinds.append("ops::ByDefault")
            given.append("{}")
            continue
        kind = TYPES[a.base][0].format(n="").strip()
        kinds.append(f"const {kind}&" if a.type in BY_REFERENCE else kind)
        given.append(f"{EXACT[a.base][1]}({a.name})" if a.base in EXACT else a.name)
    return (f"    if (ops::calls_are_taken()) [[unlikely]]\n"
            f"        return ops::take<{', '.join(kinds)}>({', '.join(given)});\n")


def entries(op):
    """The functions that callers know."""
    params = op.params(0, False, exact=op.exact)
    out = [f"{op.cpp_ret} {op.cpp_name}({params}) {{\n{taken(op, op.cpp_ret, 'Functional')}"
           f"    return {call_of_own(op, op.cpp_name)};\n}}\n"]
    if op.has_inplace():
        name = op.cpp_name + "_"
        own = call_of_own(op, name) if "inplace_native" in op.flags else \
            f"own::{name}({', '.join(a.name for a in op.cpp_args)})"
        out.append(f"Tensor& {name}({params}) {{\n{taken(op, 'Tensor&', 'InPlace')}"
                   f"    return {own};\n}}\n")
    if op.outs():
        shown = [a for a in op.cpp_args if a.type != "TensorOptions"]
        given = ", ".join(op.outs() + [a.name for a in shown])
        out.append(f"{out_signature(op, False)} {{\n{taken(op, returned(op), 'Out', outputs(op))}"
                   f"    return own::{op.cpp_name}_out({given});\n}}\n")
    return out
