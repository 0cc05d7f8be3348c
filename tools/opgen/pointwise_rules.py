"""The pointwise rules and what is written for them: a part of opgen.py.

A rule is a struct of libs/autograd/include/reel/autograd/pointwise/FAMILY.hpp whose base is `unary<`, `binary<`, `ternary<`
or `in_double<`. For each family this writes one file of loops for vectors, which the build compiles once per instruction set,
one file of kernels for CUDA, and the functions of the ops whose blocks stand above rules.
"""
import re

import called_ops
import cpp_text
from opgen_text import BANNER

FOLDER = "libs/autograd/include/reel/autograd/pointwise"
OPERANDS = {"unary": 1, "binary": 2, "ternary": 3, "in_double": 1}
FLOATING, COMPLEX = {"floating", "reals", "all_numbers", "ordered", "anything"}, {"complex", "all_numbers", "anything"}
BASE = "|".join(OPERANDS)
RULE = re.compile(rf"^struct\s+(\w+)\s*:\s*({BASE})<([^{{;]*)\{{", re.M)
DERIVATIVE = re.compile(r"\b(?:df|da)\s*\(")


class Rule:
    """One rule: its name, how many operands it has, and what it says about itself."""

    def __init__(self, name, base, head, body):
        self.name, self.operands = name, OPERANDS[base]
        bases = set(re.findall(r"\w+", head))
        self.has_vector_form = "vector_form" in bases
        self.has_integer_loops = "integer_loops" in bases
        self.runs_on_devices = base != "in_double" and "host_only" not in bases
        self.takes_floats = base == "in_double" or bool(bases & FLOATING)
        self.takes_complex = bool(bases & COMPLEX)
        self.has_derivative = bool(DERIVATIVE.search(body))


def rules_of(text):
    """The rules that a blanked source defines, in order."""
    found = []
    for m in RULE.finditer(text):
        found.append(Rule(m.group(1), m.group(2), m.group(3), text[m.end():cpp_text.closing(text, m.end() - 1)]))
    return found


def families(root, fail):
    """{family: its rules}; stops the build at a rule inside a macro, which nothing could be written for."""
    found = {}
    for path in sorted((root / FOLDER).glob("*.hpp")):
        text = cpp_text.blanked(path.read_text())
        for m in cpp_text.MACRO.finditer(text):
            if re.search(rf":\s*(?:{BASE})<", m.group(2)):
                fail(f"{path.relative_to(root).as_posix()}:{text.count(chr(10), 0, m.start()) + 1}",
                     "a pointwise rule stands in a macro, where the build cannot read it; write the rule out")
        if rules := rules_of(text):
            found[path.stem] = rules
    return found


def rule_below(body, where, fail):
    """The rule that a block of a pointwise header stands above."""
    found = rules_of(body.strip() + "\n")
    if len(found) != 1:
        fail(where, "no pointwise rule stands below the block; expected: struct NAME_op : unary<...> { ... }, or binary, or "
             "ternary")
    return found[0]


def check_gradient(op, rule, where, fail):
    """Stops the build when the block's word is not what the rule does."""
    numbers = any(a.base != "Tensor" for a in op.cpp_args[:rule.operands])
    said = op.gradient
    if said == "rule" and not rule.has_derivative:
        fail(where, f"the block says rule, and {rule.name} has no derivative: write df (or da, db, dc), or say "
             "not_differentiable")
    if said == "not_differentiable" and rule.has_derivative:
        fail(where, f"the block says not_differentiable, and {rule.name} has a derivative: say rule")
    if said == "composite" and not (numbers and rule.has_derivative):
        fail(where, "the block says composite, which above a rule is for a form with a plain number whose other form "
             "records: say rule or not_differentiable")


def samples(op, where, fail):
    """Calls of a rule over its domain, as a block's samples: operands spread over `domain(low, high, ...)`, two bounds for
    each, or over some numbers of both signs; complex ones where the rule takes them. Nothing above a rule that takes no
    floats or that needs more than its operands: there the block says samples."""
    rule, bounds = op.rule, op.domain or ["-infinity", "infinity"] * op.rule.operands
    if len(bounds) != 2 * rule.operands:
        fail(where, f"domain({', '.join(bounds)}) has {len(bounds)} bounds; {rule.name} has {rule.operands} operand(s), each with "
             "two")
    own = op.cpp_args[rule.operands:]
    if not rule.takes_floats or any(a.base != "Tensor" for a in op.cpp_args[:rule.operands]) or any(a.default is None for a in own):
        if op.domain is not None:
            fail(where, "domain(...) stands where no call follows from it: the rule takes no floats, or the op needs more than its "
                 "operands; say samples(...)")
        return []
    line = int(where.rsplit(":", 1)[1])
    made = [", ".join(f"spread({bounds[2 * i]}, {bounds[2 * i + 1]}, {i})" for i in range(rule.operands))]
    if rule.takes_complex:
        made.append(", ".join(f"spread_complex({i})" for i in range(rule.operands)))
    return [(line, f"over_domain({operands})") for operands in made]


def function(op, rule, where, fail):
    """The op's function: the rule on its operands, with the arguments that follow as the rule's own."""
    operands, own = op.cpp_args[:rule.operands], op.cpp_args[rule.operands:]
    kinds = [a.base for a in operands]
    if len(operands) != rule.operands or set(kinds) - {"Tensor", "Scalar"} or "Tensor" not in kinds:
        fail(where, f"{rule.name} has {rule.operands} operand(s); the schema must begin with as many arguments, each a Tensor "
             "or a Scalar, at least one a Tensor")
    name = op.name.removeprefix("nn.functional.")
    made = f"pointwise::{rule.name}" + (f"({', '.join(a.name for a in own)})" if own else "{}")
    given = [a.name for a in operands]
    if "Scalar" not in kinds:
        call = f'pointwise::apply("{name}", {made}, {", ".join(given)})'
    elif op.gradient == "rule" and rule.operands == 2:
        swapped = kinds[0] == "Scalar"
        x, number = reversed(given) if swapped else given
        call = f'pointwise::apply_number("{name}", {made}, {x}, {number}{", true" if swapped else ""})'
    else:  # the form of tensors, with a tensor that promotes like the number
        given = [f"pointwise::detail::plain_number({n})" if k == "Scalar" else n for n, k in zip(given, kinds)]
        call = f'{op.cpp_name}({", ".join(given + [a.name for a in own])})'
    return f"{op.cpp_ret} {op.cpp_name}({op.params(0, False)}) {{\n    return {call};\n}}\n"


def functions_file(family, functions, called):
    """The ops' functions; `called`, the sources of ops that the rules' derivatives are written in, and the family's own."""
    includes = "".join(f"#include <reel/autograd/ops/{s}.hpp>\n" for s in sorted({*called, f"pointwise/{family}"}))
    return (f"{BANNER}{includes}#include <reel/autograd/pointwise/run_rule.hpp>\n#include <reel/autograd/pointwise/{family}.hpp>\n\n"
            f"namespace reel {{\n\n{''.join(functions)}\n}} // namespace reel\n")


def rule_list(rules):
    return "pointwise::op_list<" + ", ".join(f"pointwise::{r.name}" for r in rules) + ">{}"


def loops_file(family, rules):
    """The family's loops for each instruction set; empty when no rule asks for any."""
    vectors, integers = [r for r in rules if r.has_vector_form], [r for r in rules if r.has_integer_loops]
    if not vectors + integers:
        return ""
    made = [(h, f"    {call}({rule_list(which)});\n") for which, h, call in (
        (integers, "integer_rule_loops", "register_integer_rules"), (vectors, "rule_loops", "register_rules")) if which]
    includes = "".join(f"#include <reel/autograd/detail/cpu/{h}.hpp>\n" for h, _ in made)
    return (f"{BANNER}{includes}#include <reel/autograd/pointwise/{family}.hpp>\n\n"
            f"namespace reel::cpu::REEL_ISA {{\n\nvoid register_pointwise_{family}() {{\n{''.join(c for _, c in made)}}}"
            "\n\n} // namespace reel::cpu::REEL_ISA\n")


def cuda_file(family, rules):
    """The family's kernels for CUDA; empty when all of its rules are the host's."""
    rules = [r for r in rules if r.runs_on_devices]
    if not rules:
        return ""
    return (f'{BANNER}#include <reel/autograd/pointwise/{family}.hpp>\n\n#include "pointwise.cuh"\n\nnamespace reel::cuda {{\n\n'
            f"namespace {{\n[[maybe_unused]] const bool attached = (attach_pointwise({rule_list(rules)}), true);\n}} // namespace\n\n"
            "} // namespace reel::cuda\n")


def files(root, families, ops, fail):
    """(path below the generated folder, text) of everything that follows from the rules of {family: rules}."""
    table = called_ops.headers_by_name(ops)
    for family, rules in families.items():
        called = called_ops.called((root / FOLDER / f"{family}.hpp").read_text(), table)
        if any(r.operands > 1 and r.has_derivative for r in rules):
            called |= called_ops.called("real(x)", table)  # `fit_gradient` of detail/rule_record.hpp
        functions = [function(o, o.rule, o.where, fail) for o in ops if o.rule and o.file.endswith(f"/{family}.hpp")]
        for name, text in ((f"autograd/kernels/pointwise_{family}.cpp", loops_file(family, rules)),
                           (f"cuda/pointwise_{family}.cu", cuda_file(family, rules)),
                           (f"autograd/rules/{family}.cpp", functions_file(family, functions, called) if functions else "")):
            if text:
                yield name, text
