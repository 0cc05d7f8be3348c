"""Writes files of MNIST's format into the folder that is named: digits as bars of brightness, for tests."""
import pathlib
import random
import struct
import sys


def image(label, rng):
    row = 2 + 2 * label
    return bytes(min(255, max(0, (230 if row <= r < row + 5 and 4 <= c < 24 else 10) + rng.randrange(-10, 25)))
                 for r in range(28) for c in range(28))


def write(folder, name, count, rng):
    labels = [rng.randrange(10) for _ in range(count)]
    (folder / f"{name}-images-idx3-ubyte").write_bytes(
        struct.pack(">4i", 2051, count, 28, 28) + b"".join(image(label, rng) for label in labels))
    (folder / f"{name}-labels-idx1-ubyte").write_bytes(struct.pack(">2i", 2049, count) + bytes(labels))


def main():
    folder, rng = pathlib.Path(sys.argv[1]), random.Random(1)
    write(folder, "train", int(sys.argv[2]), rng)
    write(folder, "t10k", 200, rng)


if __name__ == "__main__":
    main()
