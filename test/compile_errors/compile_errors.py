"""Each mistake of mistakes.txt is compiled: it must fail, and an error must have its sentence."""
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COMMAND = [os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only", "-x", "c++", "-"] + [
    f"-I{folder}" for folder in sorted(ROOT.glob("libs/*/include")) + [ROOT / "out/gen/include"]]


def cases():
    name, sentence, top, body = None, None, [], []
    for line in (HERE / "mistakes.txt").read_text().splitlines() + ["== "]:
        if line.startswith("== "):
            if name:
                yield name, sentence, top, body
            name, sentence, top, body = line[3:], None, [], []
        elif name is None:
            continue
        elif sentence is None:
            sentence = line
        elif line.startswith(":"):
            top.append(line[1:])
        else:
            body.append(line)


def complaint(case):
    """What is wrong with a case; empty when the compiler says what it should, about this and nothing else."""
    name, sentence, top, body = case
    lines = ["#include <reel/reel.hpp>", "using namespace reel;", *top, "void mistake() {", *body, "}"]
    done = subprocess.run(COMMAND, input="\n".join(lines), capture_output=True, text=True, check=False)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    if done.returncode == 0:
        return f"{name}: it compiles"
    if not any(sentence in line for line in errors):
        return f"{name}: no error says '{sentence}':\n" + "\n".join(errors[:5])
    return ""


def main():
    with ThreadPoolExecutor(2) as pool:
        complaints = list(pool.map(complaint, cases()))
    for text in filter(None, complaints):
        print(text)
    failed = sum(map(bool, complaints))
    print(f"{len(complaints) - failed} passed, {failed} failed")
    return int(failed > 0 or not complaints)


if __name__ == "__main__":
    sys.exit(main())
