"""What the sources of the device's kernels may not say, so that two compilers can read them (doc/adr/0060)."""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = (".cpp", ".hpp", ".cu", ".cuh")
NOT_THERE = {
    "<<<": "launch (libs/cuda/src/launch.hpp) starts kernels, so that the ordinary compiler can read them",
    "__activemask": "which lanes run together is not the program's to know; pass the mask that is meant",
    "extern __shared__": "dynamic_shared<T>() gives the launch's shared memory",
    "asm(": "the emulated device runs no instructions of a real one",
}


def kernels_are_read_by_both_compilers():
    for path in sorted((ROOT / "libs" / "cuda" / "src").rglob("*")):
        if path.suffix not in SOURCES or path.name == "launch.hpp":
            continue
        for n, line in enumerate(path.read_text().splitlines(), 1):
            for word, why in NOT_THERE.items():
                if word in line:
                    yield f"{path.relative_to(ROOT)}:{n}: {word}: {why}"
