"""The kernel files that are compiled once per instruction set, registered: a part of what opgen.py writes."""


def kernel_index(stems):
    """Calls the registration functions of the instruction set in use, once, when the library is loaded."""
    isas = ["v2", "v3", "v4", "base"]
    out = ['#include "cpu/isa.hpp"\n\nnamespace reel::cpu {\n\n']
    out.append("#if defined(__x86_64__)\n")
    for isa in isas[:3]:
        out.append(f"namespace {isa} {{\n" + "".join(f"void register_{s}();\n" for s in stems) + f"}} // namespace {isa}\n")
    out.append("#else\nnamespace base {\n" + "".join(f"void register_{s}();\n" for s in stems) + "} // namespace base\n#endif\n")
    out.append("\nnamespace {\n[[maybe_unused]] const bool registered = [] {\n#if defined(__x86_64__)\n    switch (isa()) {\n")
    for isa, case in (("v4", "case Isa::v4"), ("v3", "case Isa::v3"), ("v2", "default")):
        out.append(f"    {case}:\n" + "".join(f"        {isa}::register_{s}();\n" for s in stems) + "        break;\n")
    out.append("    }\n#else\n" + "".join(f"    base::register_{s}();\n" for s in stems) + "#endif\n    return true;\n}();\n")
    out.append("} // namespace\n\n} // namespace reel::cpu\n")
    return "".join(out)
