#!/usr/bin/env python3
"""Days on which no rank dies and yet nothing goes well: a disk that is full, ranks that stand still, a slow network
that loses packets. Runs end with an error that says why, or as the undisturbed run does.

usage: bad_days.py BIN     ends with `N passed, N failed`; what the machine cannot do is said and left out
"""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BIN = pathlib.Path(sys.argv[1]).resolve()
CLUSTER = pathlib.Path(__file__).resolve().parents[2] / "tools" / "cluster.sh"
STEPS = 30
passed = failed = 0


def check(what, ok, detail=""):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {what}: {detail}")


def folder_for_a_run():
    return pathlib.Path(tempfile.mkdtemp(prefix="reel-run-"))


def start(folder, ranks, *options, pause=20, timeout=20):
    words = [BIN / "reel-run", "-n", str(ranks), "--grace", "1", *options, BIN / "reel-run-worker", folder, str(STEPS),
             str(pause), str(timeout)]
    return subprocess.Popen([str(w) for w in words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def ended(what, job, seconds):
    """What the job said, and how long it took; None where it hangs."""
    begin = time.monotonic()
    try:
        _, text = job.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        job.kill()
        check(f"{what}: the run ends", False, f"not within {seconds} s")
        return None, seconds
    return text, time.monotonic() - begin


def results(folder):
    """Step -> losses that were written for it; the end."""
    found = {}
    for line in (folder / "losses").read_text().splitlines():
        step, value = line.split()
        found.setdefault(int(step), set()).add(value)
    end = folder / "end"
    return found, end.read_text() if end.exists() else ""


def ranks_of(job, number):
    """All of them, once there is a checkpoint to go on from."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and job.poll() is None:
        text = pathlib.Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text()
        if len(text.split()) == number:
            return [int(word) for word in text.split()]
        time.sleep(0.02)
    return []


def wait_for(path, job):
    deadline = time.monotonic() + 60
    while not path.exists() and time.monotonic() < deadline and job.poll() is None:
        time.sleep(0.01)
    return path.exists()


def undisturbed(ranks):
    folder = folder_for_a_run()
    job = start(folder, ranks, pause=0)
    text, _ = ended("an undisturbed run", job, 120)
    check(f"an undisturbed run of {ranks}", job.returncode == 0, text)
    found = results(folder)
    shutil.rmtree(folder)
    return found


def full_disk(expected):
    folder = folder_for_a_run()
    disk = folder / "checkpoint"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode != 0:
        print("note: no file system of a given size may be mounted here: the full disk is left out")
        shutil.rmtree(folder)
        return
    try:
        job = start(folder, 3, "--max-restarts", "2")
        check("full disk: there is a checkpoint first", wait_for(disk / "index.safetensors", job))
        filler = disk / "filler"
        try:
            with filler.open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(4096))
        except OSError:
            pass
        text, seconds = ended("full disk", job, 90)
        if text is None:
            return
        check("full disk: the run fails", job.returncode != 0, text)
        check("full disk: the file and the reason are named", "No space left on device" in text and "checkpoint" in text, text)
        check("full disk: it was tried again", "restart 2 of 2" in text, text)
        check("full disk: nobody waits for a timeout", seconds < 30, f"{seconds:.1f} s")
        filler.unlink()
        again = start(folder, 3, pause=0)
        text, _ = ended("with room again", again, 120)
        check("with room again: the run goes on from its checkpoint", again.returncode == 0, text)
        check("with room again: the results are the undisturbed run's", results(folder) == expected)
        left = sorted(p.name for p in disk.iterdir())
        check("with room again: nothing is left of what failed", len(left) == 4, str(left))
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=False)
        shutil.rmtree(folder, ignore_errors=True)


def slow_rank(expected):
    folder = folder_for_a_run()
    job = start(folder, 3)
    wait_for(folder / "checkpoint" / "index.safetensors", job)
    for pause in (0.5, 1.5):
        victim = random.choice(ranks_of(job, 3) or [0])
        if victim:
            os.kill(victim, signal.SIGSTOP)
            time.sleep(pause)
            os.kill(victim, signal.SIGCONT)
    text, _ = ended("a slow rank", job, 120)
    check("a slow rank is waited for", job.returncode == 0, text)
    check("a slow rank changes no result", results(folder) == expected)
    shutil.rmtree(folder)


def still_rank():
    folder = folder_for_a_run()
    job = start(folder, 3, timeout=2)
    wait_for(folder / "checkpoint" / "index.safetensors", job)
    ranks = ranks_of(job, 3)
    begin = time.monotonic()
    if ranks:
        os.kill(ranks[1], signal.SIGSTOP)
    text, _ = ended("a rank that stands still", job, 60)
    if text is not None:
        check("a rank that stands still ends the run", job.returncode != 0, text)
        check("it is named, and what it did last", "rank 1 did not come within 2 s (the last that was heard of it" in text, text)
        check("the stopped process does not stay", ranks and not pathlib.Path(f"/proc/{ranks[1]}").exists(), str(ranks))
        check("soon after the timeout", time.monotonic() - begin < 20)
    shutil.rmtree(folder)


def slow_network(expected):
    """Hosts of their own, 5 ms and one packet in a hundred from each other."""
    folder = folder_for_a_run()
    for options in (["--delay", "5", "--loss", "1"], []):
        words = [CLUSTER, "-n", "3", *options, "--timeout", "120", BIN / "reel-run-worker", folder, str(STEPS)]
        job = subprocess.run([str(w) for w in words], capture_output=True, text=True)
        if job.returncode != 3:
            break
        print(f"note: {job.stderr.strip()}")
    else:
        shutil.rmtree(folder)
        return
    what = "hosts that lose packets" if options else "hosts"
    check(f"{what}: the run ends well", job.returncode == 0, job.stdout + job.stderr)
    check(f"{what}: the results are the undisturbed run's", (folder / "losses").exists() and results(folder) == expected)
    shutil.rmtree(folder)


def main():
    expected = undisturbed(3)
    slow_rank(expected)
    still_rank()
    full_disk(expected)
    slow_network(expected)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
