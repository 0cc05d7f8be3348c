"""The files below a library's folders `kernels`, which are compiled once per instruction set: a part of opgen.py."""

ISAS = ("v2", "v3", "v4", "base")
# a file's name -> the namespace around its `register_NAME`; autograd's kernels are the CPU's
SPACES = {"autograd": "reel::cpu"}


def kernels_of(root, library):
    """Stems of a library's kernel files; they must differ, since each names a function."""
    stems = sorted(p.stem for p in (root / "libs" / library / "src").rglob("kernels/*.cpp"))
    twice = sorted({s for s in stems if stems.count(s) > 1})
    if twice:
        raise SystemExit(f"libs/{library}/src: two files of kernels are called {', '.join(twice)}")
    return stems


def kernel_index(library, stems):
    """`register_kernels()` calls the registration functions of the instruction set in use."""
    space = SPACES.get(library, f"reel::{library}")
    names = "".join(f"void register_{s}();\n" for s in stems)
    out = [f"#include <reel/autograd/detail/cpu/isa.hpp>\n\nnamespace {space} {{\n\n"]
    out.append(f"#if defined(REEL_ONLY_ISA)\nnamespace REEL_ONLY_ISA {{\n{names}}} // namespace REEL_ONLY_ISA\n")
    out.append("#elif defined(__x86_64__)\n")
    for isa in ISAS[:3]:
        out.append(f"namespace {isa} {{\n{names}}} // namespace {isa}\n")
    out.append(f"#else\nnamespace base {{\n{names}}} // namespace base\n#endif\n")
    out.append("\nvoid register_kernels() {\n#if defined(REEL_ONLY_ISA)\n")
    out += [f"    REEL_ONLY_ISA::register_{s}();\n" for s in stems]
    out.append("#elif defined(__x86_64__)\n    switch (cpu::isa()) {\n")
    for isa, case in (("v4", "case cpu::Isa::v4"), ("v3", "case cpu::Isa::v3"), ("v2", "default")):
        out.append(f"    {case}:\n" + "".join(f"        {isa}::register_{s}();\n" for s in stems) + "        break;\n")
    out.append("    }\n#else\n" + "".join(f"    base::register_{s}();\n" for s in stems) + "#endif\n}\n")
    out.append(f"\n}} // namespace {space}\n")
    return "".join(out)
