#!/usr/bin/env python3
"""Op blocks that tools/opgen.py must refuse, with file, line and reason; and the like of each that it must take."""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OPS = "libs/autograd/src/ops"
RECORDED = """{
    Tensor out = raw(input);
    record("twice", {input}, out, {}, [](RuleContext& c) -> GradList { return {c.grad() * 2}; });
    return out;
}
"""
TWICE = 'REEL_OP("twice(Tensor input) -> Tensor"'
FUNCTION = "Tensor twice(const Tensor& input) "
NOTHING_SAID = ("the block says nothing about its gradient; say exactly one of rule (its body records), composite (it calls "
                "differentiable ops) and not_differentiable")
NOTHING_RECORDS = ("the block says rule, and nothing in its body records: call record with the rule, or say composite or "
                   "not_differentiable")
HIDDEN = "REEL_OP stands in a macro or between #if and #endif, where the build cannot read it; write the block out"
RULES = "libs/autograd/include/reel/autograd/pointwise"
OUTSIDE = f"REEL_OP stands outside of the sources below {OPS} and the rules in {RULES}; move the op there"
CALLED = ("twice", "thrice", "four_times", "weighted")  # by the reference cases of the trees below
UNCALLED = "no test calls halved: add samples(call(...)) to the block (doc/contributing/op.md)"
UNREADABLE = ('cannot read the block; expected, at the beginning of a line, REEL_OP("name(Type arg, ...) -> Type", flags)')


def generate(files):
    """(exit status, what opgen says, the generated sources) for a tree of the given files."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        cases = json.dumps({"__metadata__": {"cases": json.dumps([{"op": op} for op in CALLED])}}).encode()
        (root / "test/reference").mkdir(parents=True)
        (root / "test/reference/samples.safetensors").write_bytes(struct.pack("<Q", len(cases)) + cases)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, ROOT / "tools/opgen.py", "--root", root, "--out", root / "out"],
                              capture_output=True, text=True, check=False)
        made = "".join(p.read_text() for p in sorted((root / "out").rglob("*.c*")))
        return done.returncode, done.stderr.strip(), made


def source(text, name="twice.cpp"):
    return {f"{OPS}/math/{name}": text}


def refused(files, where, reason):
    status, said, _ = generate(files)
    expected = f"opgen: {where}: {reason}"
    if status == 0 or said != expected:
        return f"exit status {status}, said: {said or 'nothing'}; expected: {expected}"
    return None


def taken(files, *registered):
    status, said, made = generate(files)
    if status != 0:
        return f"exit status {status}, said: {said}"
    return next((f"not registered: {text}" for text in registered if text not in made), None)


def at(line, name="twice.cpp"):
    return f"{OPS}/math/{name}:{line}"


# --- what a block says ------------------------------------------------------------------------------------------------

def a_block_that_says_nothing_about_its_gradient():
    return refused(source(f"\n\n{TWICE}, method)\n{FUNCTION}{RECORDED}"), at(3), NOTHING_SAID)


def a_block_that_says_two_things():
    return refused(source(f"{TWICE}, rule, composite)\n{FUNCTION}{RECORDED}"), at(1),
                   NOTHING_SAID.replace("says nothing", "says rule and composite"))


def a_block_that_says_one_thing():
    return taken(source(f"{TWICE}, rule, method)\n{FUNCTION}{RECORDED}"), '"", Gradient::Rule, ')


def a_block_without_a_gradient():
    return taken(source(f"{TWICE}, not_differentiable)\n{FUNCTION}{{ return raw(input); }}\n"), '"", Gradient::None, ')


def a_misspelt_word():
    status, said, _ = generate(source(f"{TWICE}, ruled)\n{FUNCTION}{RECORDED}"))
    return None if status and said.startswith(f"opgen: {at(1)}: unknown flag ruled; known: composite, ") else said


def an_input_that_does_not_exist():
    return refused(source(f'{TWICE}, rule, not_differentiable("weight"))\n{FUNCTION}{RECORDED}'), at(1),
                   'not_differentiable("weight"): the schema has no tensor argument of that name')


def an_input_of_an_op_without_gradient():
    return refused(source(f'{TWICE}, not_differentiable, not_differentiable("input"))\n{FUNCTION}{{ return raw(input); }}\n'),
                   at(1), 'not_differentiable("input") stands beside not_differentiable, which speaks for every input; remove one')


def an_input_without_gradient_also_under_another_name():
    text = ('REEL_OP("weighted(Tensor input, Tensor weight) -> Tensor", rule, not_differentiable("weight"),\n'
            '        alias("measured(Tensor x, Tensor mass)"))\n'
            "Tensor weighted(const Tensor& input, const Tensor& weight) " + RECORDED)
    return taken(source(text), '"weight", Gradient::Rule, ', '"mass", Gradient::Rule, ')


# --- what its body does -----------------------------------------------------------------------------------------------

def a_forgotten_record():
    return refused(source(f"{TWICE}, rule)\n{FUNCTION}{{\n    return raw(input); // record(\n}}\n"), at(1), NOTHING_RECORDS)


def a_record_in_a_text_is_none():
    return refused(source(f'{TWICE}, rule)\n{FUNCTION}{{ return raw("record(", input); }}\n'), at(1), NOTHING_RECORDS)


def a_composite_that_records():
    return refused(source(f"{TWICE}, composite)\n{FUNCTION}{RECORDED}"), at(1),
                   "the block says composite, and its body records: say rule")


def a_composite_of_an_op_that_records():
    text = (f"{TWICE}, rule)\n{FUNCTION}{RECORDED}\n"
            'REEL_OP("four_times(Tensor input) -> Tensor", composite)\n'
            "Tensor four_times(const Tensor& input) { return twice(reel::twice(input)); }\n")
    return taken(source(text), 'Gradient::Composite, ')


def a_helper_that_records():
    helper = "namespace {\ntemplate <class F> Tensor helper(const Tensor& input, F f) " + RECORDED + "} // namespace\n"
    return taken(source(f"{helper}{TWICE}, rule)\n{FUNCTION}{{ return helper(input, 1); }}\n"))


def a_helper_of_another_file_that_records():
    files = source(f'#include "ops/math/helper.hpp"\n{TWICE}, rule)\n{FUNCTION}{{ return helper(input); }}\n')
    files |= source("Tensor helper(const Tensor& input);\n", "helper.hpp")
    unfit = refused(files | source("namespace {\nTensor helper(const Tensor& input) " + RECORDED + "}\n", "other.cpp"), at(2),
                    NOTHING_RECORDS)  # a helper of that name which the file cannot see
    return unfit or taken(files | source('#include "ops/math/helper.hpp"\nTensor helper(const Tensor& input) ' + RECORDED,
                                         "helper.cpp"))


def a_macro_that_records():
    text = (f"#define TWICE(name) \\\n    Tensor name(const Tensor& input) {{ record(1); return input; }}\n{TWICE}, rule)\n"
            'REEL_OP("twice(Scalar input) -> Tensor", rule, cpp("twice_number"))\nTWICE(twice)\n')
    return taken(source(text)) or refused(source(text.replace("record(1); ", "")), at(3), NOTHING_RECORDS)


def the_next_block_does_not_speak_for_this_one():
    text = (f"{TWICE}, rule)\n{FUNCTION}{{ return raw(input); }}\n"
            'REEL_OP("thrice(Tensor input) -> Tensor", rule)\nTensor thrice(const Tensor& input) ' + RECORDED)
    return refused(source(text), at(1), NOTHING_RECORDS)


# --- who calls it -----------------------------------------------------------------------------------------------------

def an_op_that_no_test_calls():
    return refused(source(f'\nREEL_OP("halved(Tensor input) -> Tensor", rule)\n{FUNCTION}{RECORDED}'), at(2), UNCALLED)


def samples_with_every_bracket():
    text = ('REEL_OP("halved(Tensor input, str how=\'(\') -> Tensor", rule,\n'
            '        samples(call(numbers({2, 3}), ")"), // a bracket ) in a comment\n'
            '                call(ints({1})[0])), method)\n' + FUNCTION + RECORDED)
    return taken(source(text), 'Gradient::Rule, ',
                 f'#line 2 "{OPS}/math/twice.cpp"\n        call(numbers({{2, 3}}), ")"), // a bracket ) in a comment\n'
                 '                call(ints({1})[0])\n')


def samples_of_the_alias_are_the_ops():
    return taken(source('REEL_OP("halved(Tensor input) -> Tensor", rule, alias("half_of"),\n'
                        f'        samples(call(numbers({{2}})).as("half_of")))\n{FUNCTION}{RECORDED}'), '.as("half_of")')


def samples_that_do_not_end():
    return refused(source(f"{TWICE}, rule, samples(call(1)\n{FUNCTION}{RECORDED}"), at(1), UNREADABLE)


# --- where it stands --------------------------------------------------------------------------------------------------

def a_block_after_an_if():
    return refused(source(f"#if 1\n{TWICE}, rule)\n{FUNCTION}{RECORDED}#endif\n"), at(2), HIDDEN)


def a_block_after_an_else():
    return refused(source(f"#ifdef A\n#if B\n#endif\n#else\n{TWICE}, rule)\n{FUNCTION}{RECORDED}#endif\n"), at(5), HIDDEN)


def a_block_behind_an_endif():
    return taken(source(f"#ifdef A\n#define B 1\n#endif\n{TWICE}, rule)\n{FUNCTION}{RECORDED}"), "twice")


def a_block_in_a_macro():
    return refused(source(f"#define DECLARE(name) \\\n    REEL_OP(#name, rule) \\\n    Tensor name()\n"), at(2), HIDDEN)


def another_name_for_the_word():
    return refused(source("#define OP REEL_OP\n"), at(1), HIDDEN)


def the_word_pasted_together():
    return refused(source("#define OP(a) REEL_##a\n"), at(1), HIDDEN)


def a_block_inside_of_a_line():
    return refused(source(f"\nnamespace reel {{ {TWICE}, rule) }}\n"), at(2), UNREADABLE)


def a_schema_that_is_no_literal():
    return refused(source("REEL_OP(TEXT, rule)\n"), at(1), UNREADABLE)


def a_block_in_a_header():
    return refused(source(f"{TWICE}, rule)\n{FUNCTION}{RECORDED}", "twice.hpp"), at(1, "twice.hpp"), OUTSIDE)


def a_block_in_another_library():
    name = "libs/nn/src/twice.cpp"
    return refused({name: f"{TWICE}, rule)\n{FUNCTION}{RECORDED}"}, f"{name}:1", OUTSIDE)


def a_block_in_a_comment_is_none():
    return taken(source(f"// {TWICE})\n/*\n{TWICE})\n*/\n"))


def a_block_in_no_family():
    return refused({f"{OPS}/twice.cpp": f"{TWICE}, rule)\n{FUNCTION}{RECORDED}"}, f"{OPS}/twice.cpp:1",
                   f"the file stands in no family; move it to a folder below {OPS}")


# --- what libraries register ------------------------------------------------------------------------------------------

def a_registration_is_called():
    return taken({"libs/nn/src/modules/twice.cpp": "void register_twice() { add(); }\n"}, "\nvoid register_twice();\n",
                 "\n    register_twice();\n")


def two_registrations_of_one_name():
    text = "void register_twice() { add(); }\n"
    status, said, _ = generate({"libs/nn/src/modules/twice.cpp": text, "libs/nn/src/norms/twice.cpp": text})
    return None if status and said == "libs/nn/src: two definitions of register_twice" else said or "taken"


# --- pointwise rules --------------------------------------------------------------------------------------------------

def rule(block, text, name="twice.hpp"):
    return {f"{RULES}/{name}": f"{block}\nstruct twice_op : {text}"}


DERIVED = "unary<Result::Same, floating>, vector_form {\n    T f(T x) const;\n    T df(T g, T, T) const;\n};\n"


def a_rule_is_an_op():
    return taken(rule(f"{TWICE}, rule, method)", DERIVED), 'return pointwise::apply("twice", pointwise::twice_op{}, input);',
                 "register_rules(pointwise::op_list<pointwise::twice_op>{});", "v3::register_pointwise_twice();",
                 "attach_pointwise(pointwise::op_list<pointwise::twice_op>{})")


def a_rule_of_the_hosts_that_is_no_op_has_no_files():
    made = generate(rule("", "unary<Result::Same, floating>, host_only {\n};\n"))[2]
    return "something was written for it" if "twice" in made else None


def the_arguments_of_a_rule():
    schema = 'REEL_OP("twice(Tensor input, float slope=0.5) -> Tensor", rule)'
    return taken(rule(schema, DERIVED), "Gradient::Rule, ")


def a_rule_without_a_derivative():
    return refused(rule(f"{TWICE}, rule)", "unary<Result::Same, floating> {\n    T f(T x) const;\n};\n"), f"{RULES}/twice.hpp:1",
                   "the block says rule, and twice_op has no derivative: write df (or da, db, dc), or say not_differentiable")


def a_rule_whose_derivative_is_denied():
    return refused(rule(f"{TWICE}, not_differentiable)", DERIVED), f"{RULES}/twice.hpp:1",
                   "the block says not_differentiable, and twice_op has a derivative: say rule")


def a_composite_of_tensors_above_a_rule():
    return refused(rule(f"{TWICE}, composite)", DERIVED), f"{RULES}/twice.hpp:1",
                   "the block says composite, which above a rule is for a form with a plain number whose other form records: say "
                   "rule or not_differentiable")


def a_schema_with_other_operands_than_the_rule():
    return refused(rule('REEL_OP("twice(Scalar input) -> Tensor", rule)', DERIVED), f"{RULES}/twice.hpp:1",
                   "twice_op has 1 operand(s); the schema must begin with as many arguments, each a Tensor or a Scalar, at least "
                   "one a Tensor")


def a_block_above_no_rule():
    return refused({f"{RULES}/twice.hpp": f"{TWICE}, rule)\nstruct twice_op {{}};\n"}, f"{RULES}/twice.hpp:1",
                   "no pointwise rule stands below the block; expected: struct NAME_op : unary<...> { ... }, or binary, or ternary")


def a_rule_in_a_macro():
    text = "#define RULE(name) \\\n    struct name : unary<Result::Same, floating> {};\nRULE(twice_op)\n"
    return refused({f"{RULES}/twice.hpp": text}, f"{RULES}/twice.hpp:1",
                   "a pointwise rule stands in a macro, where the build cannot read it; write the rule out")


# --- the tree itself --------------------------------------------------------------------------------------------------

def every_block_of_the_library_is_taken():
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([sys.executable, ROOT / "tools/opgen.py", "--out", out], capture_output=True, text=True, check=False)
        return done.stderr.strip() if done.returncode else None


def main():
    tests = [f for name, f in globals().items() if callable(f) and getattr(f, "__module__", "") == "__main__"
             and name not in ("main", "generate", "source", "refused", "taken", "at", "rule")]
    failed = 0
    for test in tests:
        problem = test()
        if problem:
            failed += 1
            print(f"{test.__name__}: {problem}")
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
