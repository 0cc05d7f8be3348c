"""What C++ calls the ops that have a second name: `clip`, `x.clip()` and `clip_` beside those of clamp, `special::psi` and
`special_psi` beside digamma.

They call the op's own C++ function, so whoever takes calls or looks at the tape sees one op.
"""

from exact_arguments import EXACT, has_own_form

METHODS_OF = "linalg"  # its ops are methods under the names of the root that they had before it


class Alias:
    """`op` under another name; `like` has the arguments that it is called with."""

    def __init__(self, op, like, name):
        self.op, self.like = op, like
        parts = name.removeprefix("nn.functional.").split(".")
        self.space, self.short = (parts[0], parts[1]) if len(parts) == 2 else (None, parts[0])
        self.cpp_name = "_".join(parts)

    def is_method(self):
        return self.space is None and ("method" in self.op.flags or self.op.space == METHODS_OF)

    def has_inplace(self):
        return self.space is None and self.op.has_inplace()

    def params(self, first=0, **shown):
        return self.like.params(first, **shown)

    def call(self, name, given=None):
        return f"return reel::{name}({given or self.like.names()}); }}\n"

    def declarations(self):
        params, exact = self.params(exact=self.op.exact), f"inline {self.op.cpp_ret}"
        out = [f"{exact} {self.cpp_name}({params}) {{ {self.call(self.op.cpp_name)}"]
        if self.has_inplace():
            out.append(f"inline Tensor& {self.cpp_name}_({params}) {{ {self.call(self.op.cpp_name + '_')}")
        return out

    def in_space(self):
        return f"inline {self.op.cpp_ret} {self.short}({self.params(exact=self.op.exact)}) {{ {self.call(self.op.cpp_name)}"

    def methods(self):
        """(what it returns, its name, the method that it calls)."""
        if not self.is_method():
            return []
        forms = [(self.op.cpp_ret, "")] + [("Tensor&", "_")] * self.has_inplace()
        return [(ret, self.cpp_name + form, self.op.cpp_name + form) for ret, form in forms]

    def method_declarations(self):
        return [f"    {ret} {name}({self.params(1, value_defaults=False)}) const;\n" for ret, name, _ in self.methods()]

    def method_definitions(self):
        exact = EXACT if has_own_form(self.op) else {}  # as in the methods of the op itself
        given = ", ".join(["*this"] + [f"{exact[a.base][0]}({a.name})" if a.base in exact else a.name
                                       for a in self.like.cpp_args[1:]])
        return [f"{ret} Tensor::{name}({self.params(1, defaults=False)}) const {{ {self.call(of, given)}"
                for ret, name, of in self.methods()]


def declare(ops):
    """Gives each op `typed_aliases`: those that are no names of C++ functions already."""
    taken = {o.cpp_name + form for o in ops for form in ("", "_")}
    shared = {}  # one block of several that share a name says it for all of them
    for op in ops:
        shared.setdefault(op.name, []).extend(a for a in op.aliases if a not in shared.get(op.name, ()))
    for op in ops:
        named = [(op, a) for a in shared[op.name]] + [(other, other.name) for other in op.others]
        op.typed_aliases = [a for a in (Alias(op, like, name) for like, name in named) if a.cpp_name not in taken]
