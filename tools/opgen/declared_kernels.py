"""The kernels that the headers of reel/autograd/kernels declare, as one list; a part of opgen.py."""
import re

INCLUDE = "libs/autograd/include"
KERNEL = re.compile(r"^inline constinit Kernel<(?:decltype\((cpu::\w+)\)|[^;{]*\))(?:,[^;{]*)?>\s+(\w+)\{", re.M)


def all_kernels(root):
    """<reel/autograd/detail/all_kernels.hpp>: every kernel, and those that the CPU has, for those who look at them all."""
    headers = sorted((root / INCLUDE / "reel/autograd/kernels").glob("*.hpp"))
    includes = "".join(f"#include <{h.relative_to(root / INCLUDE).as_posix()}>\n" for h in headers)
    declared = [(h.stem, cpu, name) for h in headers for cpu, name in KERNEL.findall(h.read_text())]
    calls = "".join(f'    f.template operator()<kernels::{name}>("{stem}");\n' for stem, _, name in declared)
    of_cpu = "".join(f"    f.template operator()<kernels::{name}, &{cpu}>();\n" for _, cpu, name in declared if cpu)
    return ("// Every kernel, for those who look at them all.\n#pragma once\n\n" + includes +
            "\nnamespace reel::detail {\n\n"
            "/// Calls `f.operator()<kernel>(the stem of the header that declares it)` for each.\n"
            "template <class F> void for_each_kernel(F f) {\n" + calls + "}\n"
            "/// Calls `f.operator()<kernel, its function for the CPU>()` for each that has one.\n"
            "template <class F> void for_each_cpu_kernel(F f) {\n" + of_cpu + "}\n\n} // namespace reel::detail\n")
