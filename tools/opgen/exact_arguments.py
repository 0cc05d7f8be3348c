"""No bool for a number, no number for a bool: what opgen.py declares so that C++ does not convert them without a word.

A function that is declared once takes parameters of exact types (reel/autograd/detail/exact_argument.hpp) and calls the one that the
op's file defines; its name can still be passed on. Where there are several declarations, and for methods, overloads that are
deleted match the wrong kind of argument exactly.
"""
import itertools

# schema type -> (parameter of a function that takes no bool for a number, nor a number for a bool; what it holds)
EXACT = {
    "bool": ("detail::Exact<bool>", "bool"), "bool?": ("detail::OptionalExact<bool>", "std::optional<bool>"),
    "int": ("detail::Exact<std::int64_t>", "std::int64_t"), "float": ("detail::Exact<double>", "double"),
    "int?": ("detail::OptionalExact<std::int64_t>", "std::optional<std::int64_t>"),
    "float?": ("detail::OptionalExact<double>", "std::optional<double>"),
}
# parameter types that a call must not reach by a conversion from or to bool: the concept of what is refused
FROM_NUMBERS = {"bool", "bool?"}
FROM_BOOL = {"int", "int?", "int[]", "int?[]", "int[]?", "float", "float?", "float[]", "float[]?"}
TAKES_BOOL = {"Scalar", "Scalar?", "Value"}
# what an integer is passed on as, where it would as soon become another schema's bool
AS_INTEGER = {"int[]": "IntArrayRef", "int[]?": "OptionalIntArrayRef", "Scalar?": "std::optional<Scalar>"}


def siblings(op, ops):
    return [o for o in ops if o is not op and o.cpp_name == op.cpp_name]


def takes_exact(op, ops):
    """Has the declared function parameters of exact types? Where there are several, these must tell their schemas apart."""
    if op.takes_generator_and_options():
        return False  # a second function leaves the generator out
    names = {n for n in (op.cpp_name, op.cpp_name + "_")[:1 + op.has_inplace()]}
    if any(o.cpp_name in names for o in ops if o is not op and o.cpp_name != op.cpp_name):
        return False
    kinds = lambda o: [a.base.rstrip("?") for a in o.cpp_args]
    apart = lambda o, p: any(x != y and {x, y} != {"int", "float"} for x, y in zip(o, p))
    several = [kinds(o) for o in [op] + siblings(op, ops)]
    plain = all(set(o) <= {"Tensor", "bool", "int", "float", "str"} for o in several)
    return len(several) == 1 or plain and all(
        apart(o, p) or min(len(o), len(p)) == 1 for o, p in itertools.combinations(several, 2))


def guarded(op, ops, first=0):
    """(position, concept) of each parameter of which the wrong kind of argument is refused."""
    for i, a in enumerate(op.cpp_args):
        same_so_far = [o for o in siblings(op, ops) if len(o.cpp_args) > i
                       and [x.base for x in o.cpp_args[:i]] == [x.base for x in op.cpp_args[:i]]]
        there = {o.cpp_args[i].base for o in same_so_far}
        if i < first:
            continue
        if a.base in FROM_NUMBERS and not there & (FROM_BOOL | TAKES_BOOL):
            yield i, "ToBool"
        elif a.base in FROM_BOOL and not there & TAKES_BOOL:
            if "bool" in there and all(x.default is not None for x in op.cpp_args[i + 1:]):
                continue  # a bool alone is the other schema's
            yield i, "OnlyBool"


def beside_a_flag(op, ops):
    """The positions of dims and numbers where another schema has a bool: an integer there would become the bool."""
    return [i for i, a in enumerate(op.cpp_args) if a.base in AS_INTEGER
            and any(o.cpp_args[i].base == "bool" for o in siblings(op, ops) if len(o.cpp_args) > i
                    and [x.base for x in o.cpp_args[:i]] == [x.base for x in op.cpp_args[:i]])]


def refusals(op, ops, name, seen, first, tail, lead=()):
    """Overloads that are deleted: an exact match for what C++ would convert, so that it does not compile. `lead`: the
    parameters before the op's own, as (declaration, name)."""
    out = []
    last_required = op.last_required(op.cpp_args)
    for k, concept in guarded(op, ops, first):
        params = [declared for declared, _ in lead]
        for i, a in own_arguments(op, first, lead):
            shown = i > k and i > last_required and not (first and a.base == "Value")  # methods know no Value
            params.append(f"Given {a.name}" if i == k else a.cpp() + (a.cpp_default() if shown else ""))
        form = (name, concept, *("Given" if i == k else a.base for i, a in enumerate(op.cpp_args)))
        if form not in seen:  # two schemas may differ in that parameter alone
            out.append(f"template <detail::{concept} Given> void {name}({', '.join(params)}){tail} = delete;\n")
        seen.add(form)
    return out


def own_arguments(op, first, lead):
    """(position, argument) of what follows `lead`; where that is outputs, these stand for the options."""
    return [(i, a) for i, a in enumerate(op.cpp_args) if i >= first and not (lead and a.type == "TensorOptions")]


def of_integers(op, ops, name, first, tail, lead=(), result=None):
    """Overloads for integers beside a flag: `x.var(1)` and `x.var({1})` mean dimension 1."""
    beside, out = beside_a_flag(op, ops), []
    rest = own_arguments(op, first, lead)
    forms = [("plain", "one", "list") if "int[]" in op.cpp_args[i].base else ("plain", "one") for i in beside]
    for chosen in (c for c in itertools.product(*forms) if set(c) - {"plain"}):
        form = dict(zip(beside, chosen))
        last = max([i for i in beside if form[i] != "plain"] + [op.last_required(op.cpp_args)])
        params, given, held = [d for d, _ in lead], [n for _, n in lead], ""
        for i, a in rest:
            kind = form.get(i, "plain")
            if kind == "one":
                params.append(f"Given{i} {a.name}")
                given.append(f"{AS_INTEGER[a.base]}(at{i})")
                held += f"const std::int64_t at{i} = {a.name}; "
            elif kind == "list":
                params.append(f"std::initializer_list<std::int64_t> {a.name}")
                given.append(f"IntArrayRef({a.name})")
            else:
                params.append(a.cpp() + (a.cpp_default() if i > last else ""))
                given.append(a.name)
        kinds = ", ".join(f"detail::Integer Given{i}" for i in beside if form[i] == "one")
        result = result or op.cpp_ret
        head = f"template <{kinds}> {result}" if kinds else result if first else f"inline {result}"
        out.append(f"{head} {name}({', '.join(params)}){tail} {{ {held}return {name}({', '.join(given)}); }}\n")
    return out


def guards(op, ops, name, seen, method=False):
    """What is declared beside a function or method `name`; nothing where its parameters have exact types."""
    if op.exact and not method:
        return []
    first, tail = (1, " const") if method else (0, "")
    return refusals(op, ops, name, seen, first, tail) + of_integers(op, ops, name, first, tail)


def guards_of_out(op, ops, lead, result, seen):
    """What is declared beside the form of the op that writes into `lead`."""
    name = op.cpp_name + "_out"
    return refusals(op, ops, name, seen, 0, "", lead) + of_integers(op, ops, name, 0, "", lead, result)


def has_own_form(op):
    """Has the declared function other parameter types than the op's own, which its file defines?"""
    return op.exact and any(a.base in EXACT for a in op.cpp_args)


def own_functions(op):
    """(name, result) of the functions that the op's file defines with plain parameters where callers see exact ones."""
    names = [(op.cpp_name, op.cpp_ret)] + [(op.cpp_name + "_", "Tensor&")] * ("inplace_native" in op.flags)
    return names if has_own_form(op) else []


def plain_declarations(op):
    return [f"{ret} {name}({op.params(0, False)}); // the op's own\n" for name, ret in own_functions(op)]


def own_forms(op):
    """The functions that the library's sources call, which call those that the op's file defines."""
    given = ", ".join(f"{EXACT[a.base][1]}({a.name})" if a.base in EXACT else a.name for a in op.cpp_args)
    return [f"{ret} {name}({op.params(0, False, exact=True)}) {{ return reel::{name}({given}); }}\n"
            for name, ret in own_functions(op)]


# for the test: an argument that fits, and what must not compile in its place
FITS = {"bool": "bool", "bool?": "bool", "int": "std::int64_t", "int?": "std::int64_t", "float": "double", "float?": "double",
        "int[]": "IntArrayRef", "int?[]": "IntArrayRef", "int[]?": "IntArrayRef", "float[]": "ArrayRef<double>",
        "float[]?": "ArrayRef<double>"}
MISFITS = {"ToBool": ("int", "std::int64_t", "double", "const char*"), "OnlyBool": ("bool",)}


def argument_test(ops, leads):
    """Assertions for every parameter of every schema: the right kind of argument compiles, the other does not. `leads`
    gives what stands before the arguments of an op's form with outputs; nothing where it has none."""
    out = ["#include <reel/autograd/ops.hpp>\n\nnamespace reel {\n\n"]
    count = 0
    for op in ops:
        last_required = op.last_required(op.cpp_args)
        ways = [(f"reel::{op.cpp_name}", 0, ())]
        if op.has_inplace():
            ways.append((f"reel::{op.cpp_name}_", 0, ()))
        if op.space:
            ways.append((f"{op.space}::{op.short}", 0, ()))
        if "method" in op.flags:
            ways.append((f"{op.cpp_args[0].name}.{op.cpp_name}", 1, ()))
        if leads(op):
            ways.append((f"reel::{op.cpp_name}_out", 0, leads(op)))
        for way, first, lead in ways:
            for k, concept in guarded(op, ops, first):
                used = op.cpp_args[:max(k, last_required) + 1]
                params = ", ".join([d for d, _ in lead] + [f"Given {a.name}" if i == k else a.cpp()
                                                           for i, a in enumerate(used)])
                names = ", ".join([n for _, n in lead] + [a.name for a in used[first:]])
                # a number in place of a flag may be what another schema takes there
                beside = any(o.cpp_args[k].base in FROM_BOOL for o in siblings(op, ops) if len(o.cpp_args) > k)
                misfits = MISFITS[concept][-1:] if concept == "ToBool" and beside else MISFITS[concept]
                wrong = "".join(f" && !c{count}<{t}>" for t in misfits)
                out.append(f"template <class Given> concept c{count} = requires({params}) {{ {way}({names}); }};\n"
                           f"static_assert(c{count}<{FITS[used[k].base]}>{wrong}, \"{way}: {used[k].name}\");\n")
                count += 1
    out.append("\n} // namespace reel\n")
    return "".join(out)
