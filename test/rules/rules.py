#!/usr/bin/env python3
"""The rules of the house that can be read off the files: who may use whom, what stays out of public headers, sizes."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tools/opgen")]
sys.dont_write_bytecode = True
import behaviour  # noqa: E402
import conformance  # noqa: E402
import header_tests  # noqa: E402
import kernel_sources  # noqa: E402
import op_includes  # noqa: E402
import pages  # noqa: E402
import sizes  # noqa: E402

# library -> the libraries it may use (doc/adr/0018 holds the table); reel is the umbrella
MAY_USE = {
    "autograd": [],
    "nn": ["autograd"],
    "optim": ["autograd"],
    "cuda": ["autograd", "optim"],
    "fftw": ["autograd"],
    "serialize": ["autograd"],
    "data": ["autograd"],
    "distributed": ["autograd", "nn", "optim", "serialize", "data"],
    "mpi": ["autograd", "distributed"],
    "nccl": ["autograd", "distributed", "cuda"],
    "distributions": ["autograd", "nn"],
    "rl": ["autograd", "nn", "data", "serialize", "distributions"],
    "script": ["autograd", "nn", "serialize"],
    "inspect": ["autograd", "nn", "optim"],
    "reel": ["autograd", "nn", "optim", "data", "serialize", "inspect"],
}
# library -> whose private headers it uses beside its own: PyTorch's containers, the toolkit's libraries are found once
READS_WITH = {"script": ["serialize"], "nccl": ["cuda"]}
# folder of libs/autograd/src -> the folders above it, of which it includes nothing
ABOVE = {"tensor": {"tape", "op", "ops"}, "tape": {"op", "ops"}, "cpu": {"tape", "op", "ops"}, "op": {"ops"}}
# header -> why that is allowed all the same
REACHES_UP = {"op/dispatch.hpp": "from a dtype to an element type; it knows neither the tape nor the registry"}
# foreign header (start of its name) -> the libraries that may include it
FOREIGN = {
    "cblas": ["autograd"], "lapack": ["autograd"], "openblas": ["autograd"], "sleef": ["autograd"], "fftw3": ["fftw"],
    "cuda": ["cuda"], "cublas": ["cuda"], "cudnn": ["cuda"], "nccl": ["nccl"], "boost/mpi": ["mpi"], "boost/asio": ["distributed"],
}
# the emulated device: what stands in for the toolkit's libraries, on the host's
EMULATION = ROOT / "libs" / "cuda" / "emulation"
HEAVY = {"iostream", "regex", "map", "thread", "future", "filesystem", "random", "chrono", "format", "ranges"}
# timeouts are std::chrono's, as libtorch's are
TIMED = *("data/" + h for h in "dataloader_options detail/queue detail/data_shuttle".split()), *("distributed/" + h for h in "types session process_group work detail/mailbox".split())
NEEDS_HEAVY = {(f"libs/{h.split('/')[0]}/include/reel/{h}.hpp", "chrono") for h in TIMED}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
SOURCES = (".cpp", ".hpp", ".cu", ".cuh", ".inc")


def files():
    """Every file of the tree that is ours: tracked, or new and not ignored; without git, everything but build outputs."""
    try:
        text = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"], check=True,
                              capture_output=True, text=True).stdout
        found = [ROOT / line for line in text.splitlines()]
    except (OSError, subprocess.CalledProcessError):
        found = [p for p in ROOT.rglob("*") if p.relative_to(ROOT).parts[0] not in ("out", "bin", ".git")]
    return sorted(p for p in found if p.is_file())


ALL = files()
IN_LIBS = [p for p in ALL if p.suffix in SOURCES and p.relative_to(ROOT).parts[0] == "libs"]


def name(path):
    return path.relative_to(ROOT).as_posix()


def lib(path):
    return path.relative_to(ROOT).parts[1]


def is_public(path):
    return path.relative_to(ROOT).parts[2] == "include"


def read(path):
    return path.read_text(encoding="utf-8", errors="replace")


def includes(path):
    text = read(path)
    for m in INCLUDE.finditer(text):
        yield m.group(1), m.group(2), text.count("\n", 0, m.start()) + 1


def used_lib(header):
    """The library that a <reel/...> header belongs to, None for others."""
    m = re.match(r"reel/([a-z_]+)(?:/|\.hpp)", header)
    return m.group(1) if m else None


def libraries_use_only_what_they_may():
    for path in IN_LIBS:
        for _, header, line in includes(path):
            used = used_lib(header)
            if used in (None, lib(path)) or (used == "version" and lib(path) == "reel"):
                continue
            if used not in MAY_USE.get(lib(path), []):
                yield f"{name(path)}:{line}: {lib(path)} may not use {used} ({header})"


def every_library_is_in_the_table():
    for folder in sorted({lib(p) for p in IN_LIBS}):
        if folder not in MAY_USE:
            yield f"libs/{folder}: not in the table of test/rules/rules.py and doc/adr/0018"


def quoted_includes_stay_in_their_own_library():
    for path in IN_LIBS:
        own = ROOT / "libs" / lib(path) / ("emulation/src" if EMULATION in path.parents else "src")
        others = [ROOT / "libs" / other / "src" for other in READS_WITH.get(lib(path), [])]
        for quote, header, line in includes(path):
            if quote == '"' and not ((path.parent / header).exists() and own in (path.parent / header).resolve().parents) \
                    and not any((folder / header).exists() for folder in [own, *others]):
                yield f'{name(path)}:{line}: "{header}" is not below libs/{lib(path)}/src'


def public_headers_include_only_public_headers():
    for path in IN_LIBS:
        if is_public(path):
            for quote, header, line in includes(path):
                if quote == '"':
                    yield f'{name(path)}:{line}: "{header}": use <reel/...>'


def layers_use_only_what_lies_below():
    """Within autograd: tensors know no tape, the tape knows no ops, kernels know neither."""
    for path in IN_LIBS:
        folder = path.relative_to(ROOT).parts[3] if lib(path) == "autograd" and not is_public(path) else None
        for quote, header, line in includes(path):
            used = header.split("/")[0]
            if quote == '"' and used in ABOVE.get(folder, ()) and header not in REACHES_UP:
                yield f"{name(path)}:{line}: {folder}/ may not use {used}/ ({header})"


def no_source_includes_every_op():
    """Each includes those that it calls: a schema compiles its users alone (tools/op_includes.py)."""
    return op_includes.sentences()


def foreign_headers_stay_where_they_belong():
    for path in IN_LIBS:
        if EMULATION in path.parents:
            continue
        for _, header, line in includes(path):
            for start, allowed in FOREIGN.items():
                if header.startswith(start) and lib(path) not in allowed:
                    yield f"{name(path)}:{line}: {lib(path)} may not include <{header}>"


def no_cuda_header_in_a_public_header():
    for path in IN_LIBS:
        if is_public(path):
            for _, header, line in includes(path):
                if re.match(r"(cuda|cublas|cudnn|curand|nccl|cub/|thrust/|device_launch)", header):
                    yield f"{name(path)}:{line}: <{header}>"


def public_headers_are_cheap():
    for path in IN_LIBS:
        if is_public(path):
            for quote, header, line in includes(path):
                if quote == "<" and header in HEAVY and (str(name(path)), header) not in NEEDS_HEAVY:
                    yield f"{name(path)}:{line}: <{header}> in a public header"


SRC = "libs/autograd/src/"
# where code for the host may reach into a tensor's memory by other ways than host_data, and why
OTHER_WAYS_TO_MEMORY = {
    SRC + "ops/pointwise/run.cpp": "the quickest path has asked where its operands live already",
}
# ops that take host_data themselves, and why; what loops over memory belongs to a kernel (reel/autograd/kernels/)
OPS_WITH_POINTERS = {
    SRC + "ops/pointwise/run.cpp": "the frame of all pointwise kernels",
}
# ops, and what lies below them, that ask where a tensor lives, and why; a kernel's table answers that, and `has_values`
# whether there is anything to look at
ASKS_FOR_THE_DEVICE = {
    SRC + "ops/nn/batch_norm.cpp": "no running moments are moved on meta, so their version stays",
    SRC + "ops/nn/packed_sequence.cpp": "lengths are numbers of the host's, as PyTorch's",
    SRC + "ops/nn/rnn.cpp": "batch sizes are numbers of the host's, as PyTorch's",
    SRC + "ops/index/index.cpp": "indices may be the host's, as PyTorch's",
    SRC + "ops/index/search.cpp": "numbers follow the other operand",
    SRC + "ops/pointwise/run.cpp": "the quickest path, and numbers that follow the other operand",
    SRC + "ops/pointwise/arithmetic.cpp": "the quickest path in place, and beside numbers",
    SRC + "ops/pointwise/where.cpp": "numbers follow the other operand",
    SRC + "ops/pointwise/activation_piecewise.cpp": "drawn slopes are values, which meta does not have",
    SRC + "op/registry.cpp": "a tensor stands for a number where it has a value",
}


def host_memory_is_reached_through_host_data():
    """So no op can read a device's memory on the host: host_data throws the error of a missing kernel."""
    pattern = re.compile(r"data_ptr\b|impl\(\)->data\(|storage\(\)->data\(|\baccessor<|require_cpu")
    for path in IN_LIBS:
        if name(path).startswith((SRC + "ops/", SRC + "cpu/")) and name(path) not in OTHER_WAYS_TO_MEMORY:
            for i, text in enumerate(read(path).splitlines(), 1):
                if pattern.search(text.split("//")[0]):
                    yield f"{name(path)}:{i}: {text.strip()[:80]}: use host_data<T>(tensor, op)"


def ops_leave_memory_to_kernels():
    """An op keeps shapes, checks and gradients; a loop over elements is a kernel's."""
    for path in IN_LIBS:
        if name(path).startswith(SRC + "ops/") and name(path) not in OPS_WITH_POINTERS:
            for i, text in enumerate(read(path).splitlines(), 1):
                if re.search(r"\bhost_data|\brequire_host\b", text.split("//")[0]):
                    yield f"{name(path)}:{i}: {text.strip()[:80]}: declare a kernel, or use HostValues and generated"


def nothing_but_kernels_tells_devices_apart():
    """In ops, in what calls them and in loops for the CPU nobody asks for the device, with the exceptions above."""
    for path in IN_LIBS:
        if name(path).startswith((SRC + "ops/", SRC + "op/", SRC + "cpu/")) and name(path) not in ASKS_FOR_THE_DEVICE:
            for i, text in enumerate(read(path).splitlines(), 1):
                if re.search(r"\bis_(cpu|cuda|meta)\(\)", text.split("//")[0]):
                    yield f"{name(path)}:{i}: {text.strip()[:80]}: let a kernel's table tell"


def device_exceptions_are_needed():
    """Each file of the two lists above still does what it is excused for."""
    for table, pattern in ((OPS_WITH_POINTERS, r"\bhost_data|\brequire_host\b"), (ASKS_FOR_THE_DEVICE, r"\bis_(cpu|cuda|meta)\(\)")):
        for path in table:
            if not (ROOT / path).exists() or not re.search(pattern, read(ROOT / path)):
                yield f"{path}: needs no exception any more"


def every_kernel_has_its_cpu_body_beside_it():
    """reel/autograd/kernels/<stem>.hpp and <stem>.cpp somewhere below libs/autograd/src/cpu go together, unless only
    devices have such a kernel."""
    bodies = {path.stem: path for path in IN_LIBS if name(path).startswith(SRC + "cpu/") and path.suffix == ".cpp"
              and path.parent.name != "kernels"}
    for path in IN_LIBS:
        if name(path).startswith("libs/autograd/include/reel/autograd/kernels/") and "namespace cpu" in read(path):
            body = bodies.get(path.stem)
            if not body or f"reel/autograd/kernels/{path.name}" not in read(body):
                yield f"{name(path)}: no {path.stem}.cpp below {SRC}cpu defines its functions"


def every_public_header_has_a_test():
    yield from header_tests.headers_have_tests(ROOT)


def tests_include_their_header_first():
    yield from header_tests.tests_include_their_header_first(ROOT)


def headers_are_guarded():
    for path in ALL:
        if path.suffix == ".hpp" and "#pragma once" not in read(path):
            yield f"{name(path)}: no #pragma once"


def files_stay_short():
    return sizes.of_files([p for p in ALL if p.suffix in SOURCES + (".py", ".sh", ".jam") or p.name in ("Jamroot", "Jamfile")],
                          name, read)


def functions_stay_short():
    return sizes.of_functions([p for p in ALL if p.suffix in SOURCES], name, read)


def names_are_snake_case():
    for path in ALL:
        if path.suffix in SOURCES and not re.fullmatch(r"[a-z0-9_]+", path.stem):
            yield name(path)


def no_file_knows_the_machine_it_was_written_on():
    pattern = re.compile("|".join(["/" + "work/", "/" + "home/[a-z]", "/" + "root/"]))
    for path in ALL:
        if path.suffix in (".safetensors", ".gz", ".jsonl", ".png"):
            continue
        for i, text in enumerate(read(path).splitlines(), 1):
            if pattern.search(text):
                yield f"{name(path)}:{i}: {text.strip()[:100]}"


def with_the_tree(rule):
    """`rule(root, files, name, read)` as one of RULES."""
    def bound():
        return rule(ROOT, ALL, name, read)
    bound.__name__ = rule.__name__
    return bound


RULES = [
    libraries_use_only_what_they_may, every_library_is_in_the_table, quoted_includes_stay_in_their_own_library,
    public_headers_include_only_public_headers, layers_use_only_what_lies_below, no_source_includes_every_op,
    foreign_headers_stay_where_they_belong, no_cuda_header_in_a_public_header, public_headers_are_cheap,
    kernel_sources.kernels_are_read_by_both_compilers, host_memory_is_reached_through_host_data,
    ops_leave_memory_to_kernels, nothing_but_kernels_tells_devices_apart, device_exceptions_are_needed,
    every_kernel_has_its_cpu_body_beside_it, headers_are_guarded, files_stay_short, functions_stay_short,
    every_public_header_has_a_test, tests_include_their_header_first, names_are_snake_case,
    no_file_knows_the_machine_it_was_written_on, *map(with_the_tree, pages.RULES + behaviour.RULES),
]


def main():
    failed = 0
    for rule in RULES:
        broken = list(rule())
        failed += bool(broken)
        if broken:
            print(f"{rule.__name__.replace('_', ' ')}:")
            print("".join(f"    {b}\n" for b in broken[:20]), end="")
    quoted = sum(len(re.findall(rf"\b(?:{conformance.NAMES})-\d+\b", read(p))) for p in ALL if p.suffix == ".cpp" and p.relative_to(ROOT).parts[0] == "test")
    print(f"note: tests quote {quoted} rules")
    print(f"{len(RULES) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
