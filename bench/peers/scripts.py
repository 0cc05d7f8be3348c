"""The archives that `reel-bench 1 script_` wrote, run by PyTorch: rows in reel-bench's form.

    python3 bench/peers/scripts.py THREADS [FOLDER]
"""
import pathlib
import statistics
import sys
import time

import torch


def median_us(f, warm, reps):
    for _ in range(warm):
        f()
    times = []
    for _ in range(reps):
        start = time.perf_counter()
        f()
        times.append((time.perf_counter() - start) * 1e6)
    return statistics.median(times)


def main():
    torch.set_num_threads(int(sys.argv[1]))
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "out/bench/scripts")
    with torch.no_grad():
        for file in sorted(folder.glob("*.pt")):
            module = torch.jit.load(str(file)).eval()
            if file.stem == "silero_vad":
                name = "script_silero_vad_frame"
                inputs = (torch.sin(torch.arange(512.0) * 0.05).reshape(1, 512) * 0.3, 16000)
            else:
                name, inputs = file.stem, (module.example(),)
            print(f"{name:<34} {median_us(lambda: module(*inputs), 20, 101):12.3f} us", flush=True)


if __name__ == "__main__":
    main()
