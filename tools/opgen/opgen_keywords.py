"""What `<reel/autograd/keywords.hpp>` declares: for each op with several optional arguments a struct that names them, and a function that takes it.

    topk(x, 5, kw::topk{.largest = false})

Required arguments keep their places. The struct has the schema's names, defaults and order; it holds what it is given by value.
"""

# schema type -> (member, expression of what the op takes), where these are not the parameter's own type
MEMBERS = {
    "Tensor?": ("Tensor", "{v}"), "Tensor": ("Tensor", "{v}"),
    "Tensor[]": ("std::vector<Tensor>", "{v}"), "Tensor?[]": ("std::vector<Tensor>", "{v}"),
    "int[]": ("detail::KeywordList<std::int64_t>", "{v}.list()"), "int?[]": ("detail::KeywordList<std::int64_t>", "{v}.list()"),
    "int[]?": ("detail::KeywordList<std::int64_t>", "{v}.optional()"),
    "float[]": ("detail::KeywordList<double>", "{v}.list()"), "float[]?": ("detail::KeywordList<double>", "{v}.optional()"),
    "Scalar": ("Scalar", "{v}"), "Scalar?": ("std::optional<Scalar>", "{v}"), "Value": ("Value", "{v}"),
}
FEWEST = 2  # one optional argument has no order that could be mistaken


def optional_arguments(op):
    return [a for a in op.cpp_args if a.default is not None]


def named(ops):
    """The ops that get a struct: of several schemas with one function's name the one with the most optional arguments."""
    best = {}
    for op in ops:
        n = len(optional_arguments(op))
        required = [a for a in op.cpp_args if a.default is None]
        if n >= FEWEST and op.cpp_args[:len(required)] == required and n > len(optional_arguments(best.get(op.cpp_name, op))) * (op.cpp_name in best):
            best[op.cpp_name] = op
    return [op for op in ops if best.get(op.cpp_name) is op]


def member(a):
    kind = MEMBERS[a.base][0] if a.base in MEMBERS else a.cpp().rsplit(" ", 1)[0]
    text = f"    {kind} {a.name}{' = {}' if a.base == 'Value' and a.default == 'None' else a.cpp_default()};\n"
    return text.replace("std::", "::std::")  # there is an op of that name


def handed_on(a):
    value = f"named.{a.name}"
    return MEMBERS[a.base][1].format(v=value) if a.base in MEMBERS else value


def header(ops):
    structs, functions = [], []
    for op in named(ops):
        given = [a for a in op.cpp_args if a.default is None]
        structs.append(f"/// {op.text}\nstruct {op.cpp_name} {{\n{''.join(map(member, optional_arguments(op)))}}};\n")
        params = ", ".join([a.cpp() for a in given] + [f"const kw::{op.cpp_name}& named"])
        values = ", ".join([a.name for a in given] + [handed_on(a) for a in optional_arguments(op)])
        functions.append(f"inline {op.cpp_ret} {op.cpp_name}({params}) {{ return reel::{op.cpp_name}({values}); }}\n")
    return ("// Ops with their optional arguments by name: `topk(x, 5, kw::topk{.largest = false})`.\n#pragma once\n\n"
            "#include <limits>\n#include <optional>\n#include <string_view>\n#include <vector>\n\n#include <reel/autograd/detail/keyword_list.hpp>\n#include <reel/autograd/ops.hpp>\n"
            "#include <reel/autograd/value.hpp>\n\nnamespace reel {\n\n/// The optional arguments of the ops of these names.\n"
            f"namespace kw {{\n{''.join(structs)}}} // namespace kw\n\n{''.join(functions)}\n}} // namespace reel\n")
