#!/usr/bin/env python3
"""Reads the ops' own blocks and writes what follows from them.

An op is declared once, in libs/autograd/src/ops: `REEL_OP("schema", flags)` above its function, or above its rule in a
header of reel/autograd/pointwise, whose function is written here, too (pointwise_rules.py). From the schema text this
program derives the declaration, the Tensor method, the in-place form, named binding and registration. The schema's names,
order and defaults are those of PyTorch's Python function. The flags say exactly once where the gradient comes from
(opgen_gradient.py), and the build stops at a block that does not. Where one C++ function answers to several schemas,
`alias("other_name")` shares the schemas, and `alias("other_name(Type arg, ...)")` adds a schema with names and defaults of
its own, under another name or the same one: its arguments stand for the op's by name, the others in order. It also lists
the kernel files that are compiled once per instruction set, the layers of libs/nn, what libs/optim consists of, and what
either registers. What follows from one source of ops stands in a header and a source of the same name. Files are rewritten
only when their text changes, so what is built from the others stays as it is. Its parts stand in the folder beside it.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools/opgen"))

import opgen_aliases
import opgen_blocks
import opgen_calls
import opgen_gradient
import opgen_keywords
import opgen_out
import opgen_registry
import opgen_samples
import pointwise_rules
from declared_kernels import all_kernels
from exact_arguments import EXACT, argument_test, guards, has_own_form, own_forms, plain_declarations, takes_exact
from kernel_index import kernel_index, kernels_of
from layer_index import layer_index
from opgen_argument import RETURNS, TYPES, Arg, fail
from opgen_text import BANNER, BY_NAME_ONLY, CPP_KEYWORDS, LEGACY
from optim_index import OPTIM_BANNER, all_steps, umbrella
from registration_index import registration_of_all, registrations_of
from typed_calls import typed_call_files

FLAGS = {"method", "out", "out_exact", "inplace", "inplace_native", "view", "random", *opgen_gradient.KINDS}
DETAILS = {"alias", "cpp", "explicit", "not_differentiable", "any_device"}


class Op:
    """One schema: its text, its flags, and what it says about its gradient."""

    def __init__(self, schema, flags, aliases, where, cpp=None, explicit=None):
        self.text, self.flags, self.explicit, self.where = schema, flags, explicit, where
        self.file = where.rpartition(":")[0]
        self.rule = None  # of pointwise ops whose block stands above their rule
        self.source = re.sub(r"^.*/(?:src/ops|include/reel/autograd)/|\.\w+$", "", self.file)  # "reduce/scan"
        if "/" not in self.source:
            fail(where, f"the file stands in no family; move it to a folder below {opgen_blocks.OPS}")
        m = re.fullmatch(r"([\w.]+)\((.*)\) -> (.+)", schema)
        if not m:
            fail(where, f"cannot read the schema '{schema}'; expected 'name(Type arg, ...) -> Type'")
        self.name, args, self.ret = m.groups()
        self.args, kwarg_only = [], False
        for part in filter(None, (a.strip() for a in split_args(args))):
            if part == "*":
                kwarg_only = True
            else:
                self.args.append(Arg(part, kwarg_only, where))
        self.legacy = LEGACY if LEGACY < {a.name for a in self.args} else set()
        self.cpp_args = self.cpp_only()
        if self.ret.startswith("("):
            self.cpp_ret = "std::tuple<" + ", ".join(
                RETURNS[p.strip().split(" ")[0]] for p in self.ret[1:-1].split(",")) + ">"
        elif self.ret in RETURNS:
            self.cpp_ret = RETURNS[self.ret]
        else:
            fail(where, f"unknown return type '{self.ret}'")
        base = self.name
        for prefix in ("nn.functional.", "Tensor."):
            base = base.removeprefix(prefix)
        self.short = self.name.rsplit(".", 1)[-1]
        self.space = {"linalg": "linalg", "fft": "fft", "special": "special"}.get(self.name.split(".")[0]) \
            if "." in self.name else None
        self.cpp_name = cpp or CPP_KEYWORDS.get(base, base.replace(".", "_"))
        if cpp and self.space:  # the name inside the namespace follows the C++ one
            self.short = cpp.removeprefix(self.space + "_")
        if self.name.endswith("_"):
            self.cpp_ret = "Tensor&"
        self.others = [self.aliased(a, where) for a in aliases if "(" in a]
        self.aliases = [a for a in aliases if "(" not in a]

    def aliased(self, text, where):
        """The schema of an alias with arguments of its own, which calls this op's function."""
        other = Op(f"{text} -> {self.ret}", self.flags, [], where)
        given = other.cpp_only()
        known = {a.name for a in self.cpp_args}
        rest = iter([a for a in given if a.name not in known])
        named = {a.name: a for a in given}
        other.cpp_args = [named.get(a.name) or next(rest, None) for a in self.cpp_args]
        if None in other.cpp_args or next(rest, None) or any(
                a.base != b.base for a, b in zip(other.cpp_args, self.cpp_args)):
            fail(where, f"the arguments of alias '{text}' do not stand for those of '{self.text}', one for one")
        other.cpp_name = self.cpp_name
        return other

    def declare_gradient(self, kind, constant):
        """`kind`: one of opgen_gradient.KINDS; `constant`: the tensor arguments that no gradient reaches."""
        self.gradient, self.constant = kind, set(constant)
        for other in self.others:  # its arguments stand for the op's
            other.declare_gradient(kind, [b.name for a, b in zip(self.cpp_args, other.cpp_args) if a.name in self.constant])

    def cpp_only(self):
        return [a for a in self.args if a.name not in BY_NAME_ONLY | self.legacy]

    def place(self, name):
        """Where the argument stands, None when there is none of that name."""
        return next((i for i, a in enumerate(self.args) if a.name == name), None)

    def bound_arguments(self):
        """What a call by name hands to the C++ function, one expression for each parameter."""
        legacy = ", ".join(f"v[{self.place(n)}]" for n in ("size_average", "reduce", "reduction"))
        return [f"reduction({legacy})" if self.legacy and a.name == "reduction" else a.bound(self.args.index(a))
                for a in self.cpp_args]

    def bound(self):
        return ", ".join(self.bound_arguments())

    def takes_out(self):
        return bool(self.flags & {"out", "out_exact"}) or self.place("out") is not None

    def outs(self):
        """The names of the tensors that the typed form with `out` writes; none when there is no such form."""
        if not self.takes_out() or self.cpp_ret not in ("Tensor", "std::vector<Tensor>") and not re.fullmatch(
                r"std::tuple<Tensor(, Tensor)*>", self.cpp_ret):
            return []
        if not self.ret.startswith("("):
            return ["out"]
        names = [p.split()[-1] for p in self.ret[1:-1].split(",")]
        taken = {a.name for a in self.args} | {"Tensor"}
        return [f"out{i}" if n in taken else n for i, n in enumerate(names)]

    def has_inplace(self):
        return "inplace" in self.flags or "inplace_native" in self.flags

    def last_required(self, args):
        return max((i for i, a in enumerate(args) if a.default is None or a.name == self.explicit), default=-1)

    def params(self, first=0, defaults=True, value_defaults=True, end=None, exact=False):
        # C++ wants defaults at the end only: one before an argument without default counts in calls by name alone.
        last_required = self.last_required(self.cpp_args)
        shown = lambda i, a: defaults and i > last_required and (value_defaults or a.base != "Value")
        return ", ".join(a.cpp(exact) + (a.cpp_default() if shown(i, a) else "")
                         for i, a in enumerate(self.cpp_args[:end]) if i >= first)

    def takes_generator_and_options(self):
        return [a.type for a in self.args][-2:] == ["Generator?", "TensorOptions"]

    def names(self, first=0):
        return ", ".join(a.name for a in self.cpp_args[first:])

    def first_value_default(self):
        """Methods are declared before Value is complete: one with such a default becomes two overloads."""
        return next((i for i, a in enumerate(self.cpp_args) if a.base == "Value" and a.default is not None), None)


def split_args(text):
    depth, part = 0, ""
    for c in text:
        depth += c in "[(" or 0
        depth -= c in "])" or 0
        if c == "," and depth == 0:
            yield part
            part = ""
        else:
            part += c
    yield part


def arguments_of(word, block, op):
    """The tensor arguments that `word("a, b")` names in a block."""
    names = [n.strip() for text in block.texts(word) for n in text.split(",")]
    for n in names:
        if not any(a.name == n and a.type.startswith("Tensor") for a in op.args):
            fail(block.where, f'{word}("{n}"): the schema has no tensor argument of that name')
    return names


def read_ops(root=ROOT):
    """The ops of all blocks, each with a word about its gradient that its body does not contradict."""
    sources = opgen_gradient.Sources(root / "libs/autograd/src")
    blocks = opgen_blocks.read(sources, root, fail)
    ops = []
    for block in blocks:
        flags, where = block.flags, block.where
        unknown = flags - FLAGS | {w + '("...")' for w, _ in block.details if w not in DETAILS}
        if unknown:
            fail(where, f"unknown flag {', '.join(sorted(unknown))}; known: {', '.join(sorted(FLAGS))}, "
                 + ", ".join(f'{w}("...")' for w in sorted(DETAILS)))
        op = Op(block.schema, flags, block.texts("alias"), where, (block.texts("cpp") or [None])[0],
                (block.texts("explicit") or [None])[0])
        op.declare_gradient(*opgen_gradient.read(flags, block.texts("not_differentiable"),
                                                 {a.name: a.type for a in op.args}, where, fail))
        op.samples, op.domain = block.samples, block.domain
        op.any_device = arguments_of("any_device", block, op)
        ops.append(op)
    sources.op_names |= {name for op in ops for name in (op.cpp_name, op.cpp_name + "_")}
    for op, block in zip(ops, blocks):
        if block.above_rule:
            op.rule = pointwise_rules.rule_below(block.body, block.where, fail)
            pointwise_rules.check_gradient(op, op.rule, block.where, fail)
            op.samples = op.samples + pointwise_rules.samples(op, block.where, fail)
        else:
            if op.domain is not None:
                fail(block.where, "domain(...) stands above a function; it is for pointwise rules, a function says samples(...)")
            opgen_gradient.check(op.gradient, sources.records(block.path, block.body), block.where, fail)
    for o in ops:
        o.exact = takes_exact(o, ops)
        for other in o.others:
            other.exact = o.exact
    opgen_aliases.declare(ops)
    opgen_calls.name_functions(ops)
    return ops


INCLUDES = ("#include <limits>\n#include <optional>\n#include <string_view>\n#include <tuple>\n"
            "#include <vector>\n\n#include <reel/autograd/random.hpp>\n#include <reel/autograd/tensor.hpp>\n"
            "#include <reel/autograd/value.hpp>\n\nnamespace reel {\n\n")


def declarations(part, ops, seen, own=False):
    """What the header of one source of ops declares, `part` of all `ops`; `seen`: the refusals that other headers hold.
    `own`: for the library's own sources, whose calls are no calls of a user's."""
    out = [INCLUDES]
    bound = lambda op, form: opgen_calls.bound(op, form, own)
    for op in part:
        params = op.params(exact=op.exact)
        out.append(f"/// {op.text}\n{op.cpp_ret} {op.cpp_name}({params}){bound(op, '')};\n")
        beside = []
        if op.has_inplace():
            out.append(f"Tensor& {op.cpp_name}_({params}){bound(op, '_')};\n")
            beside += guards(op, ops, op.cpp_name + "_", seen)
        beside += guards(op, ops, op.cpp_name, seen)
        if op.takes_generator_and_options():  # rand({2}, kDouble), as libtorch has it
            params = [p.split("=")[0].strip() for p in op.params(0, False).split(", ")]
            del params[-2]
            names = [a.name for a in op.cpp_args[:-2]] + ["std::nullopt", "options"]
            beside.append(f"inline {op.cpp_ret} {op.cpp_name}({', '.join(params)}) {{ "
                          f"return {op.cpp_name}({', '.join(names)}); }}\n")
        out += opgen_calls.of_this_file(beside, own)
        if op.outs():
            out.append(f"{opgen_out.out_signature(op, True)}{bound(op, '_out')};\n")
            out += opgen_calls.of_this_file(opgen_out.guards(op, ops, seen), own)
    aliases = [] if own else [a for op in part for a in op.typed_aliases]
    for alias in aliases:
        out += alias.declarations()
    for space in sorted({op.space for op in part if op.space} | {a.space for a in aliases if a.space}):
        out.append(f"\nnamespace {space} {{\n")
        spaced = set()
        for op in part:
            if op.space == space:
                out.append(f"{op.cpp_ret} {op.short}({op.params(exact=op.exact)}){bound(op, '')};\n")
                out += opgen_calls.of_this_file(guards(op, ops, op.short, spaced), own)
        out += [a.in_space() for a in aliases if a.space == space]
        out.append(f"}} // namespace {space}\n")
    out.append("\n} // namespace reel\n")
    return "".join(out)


def op_umbrella(what, headers):
    lines = "".join(f"#include <reel/autograd/ops/{h}.hpp>\n" for h in headers)
    return f"{BANNER}// {what}\n#pragma once\n{lines}"


def method_list(ops):
    out, seen = [BANNER.replace("//", "    //", 1)], set()
    for op in sorted(ops, key=lambda o: o.cpp_name):  # moving an op to another source leaves alone what all include
        for alias in op.typed_aliases:
            out += alias.method_declarations()
        if "method" not in op.flags:
            continue
        name = op.cpp_name
        out.append(f"    {op.cpp_ret} {name}({op.params(1, True, False)}) const;\n")
        out += ["    " + line for line in guards(op, ops, name, seen, method=True)]
        if op.first_value_default():
            out.append(f"    {op.cpp_ret} {name}({op.params(1, False, end=op.first_value_default())}) const;\n")
        if op.has_inplace():
            out.append(f"    Tensor& {name}_({op.params(1)}) const;\n")
            out += ["    " + line for line in guards(op, ops, name + "_", seen, method=True)]
    return "".join(out)


def own_definitions(ops):
    """The ops' own functions that are made of others: those that check exact types, in place, into given tensors."""
    out = []
    for op in ops:
        out += own_forms(op)
        if op.has_inplace() and "inplace_native" not in op.flags:
            rest = ", ".join(["x"] + [a.name for a in op.cpp_args[1:]])
            out.append(f"Tensor& {op.cpp_name}_({op.params(0, False, exact=op.exact)}) {{\n    return detail::in_place("
                       f"\"{op.name}_\", {op.args[0].name}, [&](const Tensor& x) {{ return own::{op.cpp_name}({rest}); }});\n}}\n")
    return out


def methods(op):
    """The methods of tensors, and the functions in a namespace: calls of the functions that callers know."""
    out = []
    # where the op's own function has plain parameters, it would be the better match
    call = ", ".join(["*this"] + [f"{EXACT[a.base][0]}({a.name})" if has_own_form(op) and a.base in EXACT else a.name
                                  for a in op.cpp_args[1:]])
    if "method" in op.flags:
        out.append(f"{op.cpp_ret} Tensor::{op.cpp_name}({op.params(1, False)}) const {{ return reel::{op.cpp_name}({call}); }}\n")
        end = op.first_value_default()
        if end:
            given = ", ".join(["*this"] + [a.name for a in op.cpp_args[1:end]])
            out.append(f"{op.cpp_ret} Tensor::{op.cpp_name}({op.params(1, False, end=end)}) const {{ "
                       f"return reel::{op.cpp_name}({given}); }}\n")
    if op.has_inplace() and "method" in op.flags:
        out.append(f"Tensor& Tensor::{op.cpp_name}_({op.params(1, False)}) const {{ return reel::{op.cpp_name}_({call}); }}\n")
    for alias in op.typed_aliases:
        out += alias.method_definitions()
    if op.space:
        out.append(f"{op.cpp_ret} {op.space}::{op.short}({op.params(0, False, exact=op.exact)}) {{ "
                   f"return reel::{op.cpp_name}({op.names()}); }}\n")
    return out


def source_text(source, part):
    """What is compiled beside one source of ops: the functions that callers know, other forms, and registration."""
    return "".join([
        BANNER, f"#define REEL_CALLS_OPS\n#include <reel/autograd/ops/{source}.hpp>\n\n#include <reel/autograd/op.hpp>\n\n"
        '#include "op/convert.hpp"\n#include "op/declare.hpp"\n#include "op/devices.hpp"\n#include "op/inplace_form.hpp"\n#include "op/out.hpp"\n'
        '#include "op/take.hpp"\n\nnamespace reel {\n\n',
        *[line for op in part for line in plain_declarations(op)],
        "\nnamespace own {\n\n", *[line for op in part for line in opgen_calls.own_declarations(op)], "\n",
        *own_definitions(part), *opgen_out.out_definitions(part), "\n} // namespace own\n\n",
        *[line for op in part for line in [*opgen_calls.entries(op), *methods(op)]], "\n} // namespace reel\n\n",
        opgen_registry.registration(source, part)])


def write(path, text, kept):
    kept.add(path)
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--root", default=ROOT, type=pathlib.Path, help="the tree to read")
    given = parser.parse_args()
    out = given.out
    ops = read_ops(given.root)
    parts = {source: [o for o in ops if o.source == source] for source in dict.fromkeys(o.source for o in ops)}
    families = {source.split("/")[0]: None for source in parts}
    kept, seen, seen_by_own = set(), set(), set()
    inc, src = out / "include/reel/autograd", out / "autograd"
    for source, part in parts.items():
        header = f"reel/autograd/ops/{source}.hpp"
        write(out / "include" / header, f"#pragma once\n{BANNER}\n{declarations(part, ops, seen)}", kept)
        own = declarations(part, ops, seen_by_own, own=True)
        write(src / "include" / header, BANNER + opgen_calls.own_header(header, own), kept)
        write(src / f"ops/{source}.cpp", source_text(source, part), kept)
    for family in families:
        write(inc / f"ops/{family}.hpp", op_umbrella(f"The ops of libs/autograd/src/ops/{family}.",
                                                  [s for s in parts if s.split("/")[0] == family]), kept)
    write(inc / "ops.hpp", op_umbrella("Every op. A source that calls a few includes their headers: less to compile, and to compile again.",
                                    families), kept)
    write(inc / "tensor_methods.inc", method_list(ops), kept)
    write(inc / "keywords.hpp", BANNER + opgen_keywords.header(ops), kept)
    write(src / "ops_out_exact.cpp", opgen_out.exact_list(ops), kept)
    write(src / "ops_registry.cpp", opgen_registry.registration_index(parts), kept)
    loops = []
    for name, text in pointwise_rules.files(given.root, pointwise_rules.families(given.root, fail), ops, fail):
        write(out / name, text, kept)
        loops += [pathlib.Path(name).stem] if "/kernels/" in name else []
    write(src / "kernels_registry.cpp", BANNER + kernel_index("autograd", sorted(kernels_of(given.root, "autograd") + loops)), kept)
    write(out / "optim/kernels_registry.cpp", OPTIM_BANNER + kernel_index("optim", kernels_of(given.root, "optim")), kept)
    write(out / "optim/register_all.cpp", registration_of_all("optim", registrations_of(given.root, "optim"), True), kept)
    write(out / "nn/register_all.cpp", registration_of_all("nn", registrations_of(given.root, "nn")), kept)
    write(out / "include/reel/optim.hpp", OPTIM_BANNER + umbrella(given.root), kept)
    write(out / "include/reel/optim/detail/all_steps.hpp", OPTIM_BANNER + all_steps(given.root), kept)
    write(out / "include/reel/nn/layers.hpp", layer_index(), kept)
    write(inc / "detail/all_kernels.hpp", BANNER + all_kernels(given.root), kept)
    write(out / "test/argument_types.cpp", BANNER + argument_test(ops, opgen_out.outputs), kept)
    opgen_samples.check(ops, given.root, fail)
    for name, text in opgen_samples.sample_files(ops):
        write(out / "test_samples" / name, text, kept)
    for name, text in typed_call_files(ops, families):
        write(out / "test_properties" / name, text, kept)
    for folder in ("include", "autograd", "cuda", "nn", "optim", "test", "test_samples", "test_properties"):
        for old in [p for p in (out / folder).rglob("*") if p.is_file() and p not in kept]:
            old.unlink()


if __name__ == "__main__":
    main()
