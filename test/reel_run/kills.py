#!/usr/bin/env python3
"""Kills ranks of runs that reel-run started, at random moments and in each phase of a step, and compares what the runs
come to.

usage: kills.py BIN KILLS [SEED [IN_EACH_PHASE]]     ends with `N passed, N failed`; KILLS / 4 in each phase unless said
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
KILLS = int(sys.argv[2])
RANDOM = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else time.time_ns())
EACH = int(sys.argv[4]) if len(sys.argv) > 4 else -(-KILLS // 4)
STEPS = 30
PHASES = {"forward": 400, "backward": 600, "optimizer": 60, "checkpoint": 4000}  # microseconds that they take, about
passed = failed = 0


def check(what, ok, detail=""):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {what}: {detail}")


def children(pid):
    """The ranks that a reel-run has at this moment."""
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(word) for word in text.split()]


def start(folder, ranks, *options, pause=0):
    words = [BIN / "reel-run", "-n", str(ranks), *options, BIN / "reel-run-worker", folder, str(STEPS), str(pause)]
    return subprocess.Popen([str(w) for w in words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def losses(folder):
    """Step -> every loss that was written for it; a line that a kill cut short does not count."""
    found = {}
    for line in (folder / "losses").read_text().splitlines():
        words = line.split()
        if len(words) == 2 and "p" in words[1]:
            found.setdefault(int(words[0]), set()).add(float.fromhex(words[1]))
    return found


def undisturbed(ranks):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="reel-run-"))
    job = start(folder, ranks)
    _, text = job.communicate(timeout=120)
    check(f"an undisturbed run of {ranks}", job.returncode == 0, text)
    result = losses(folder), (folder / "end").read_text()
    shutil.rmtree(folder)
    return result


def disturbed(ranks, kills, expected):
    """One job whose ranks are killed up to `kills` times; how often it was."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="reel-run-"))
    job = start(folder, ranks, "--max-restarts", str(kills + 1), "--grace", "2", pause=20)
    done = 0
    begin = time.monotonic()
    while done < kills and job.poll() is None:
        time.sleep(RANDOM.uniform(0.02, 0.9))
        victims = children(job.pid)
        if victims and job.poll() is None:
            try:
                os.kill(RANDOM.choice(victims), signal.SIGKILL)
                done += 1
            except ProcessLookupError:
                pass
    try:
        _, text = job.communicate(timeout=180)
    except subprocess.TimeoutExpired:
        job.kill()
        check("a killed run ends", False, f"it hangs after {done} kills, in {folder}")
        return done
    check(f"a run of {ranks} after {done} kills", job.returncode == 0, text[-2000:])
    compare("killed at any time", folder, expected)
    print(f"{ranks} ranks, {done} kills, {text.count('restart')} restarts, {time.monotonic() - begin:.1f} s")
    shutil.rmtree(folder)
    return done


def compare(what, folder, expected):
    found = losses(folder)
    wrong = [step for step, values in found.items() if values != expected[0].get(step)]
    check(f"{what}: losses are the undisturbed run's", not wrong and len(found) == STEPS, f"steps {wrong}, {len(found)} of {STEPS}")
    end = folder / "end"
    check(f"{what}: parameters are the undisturbed run's", end.exists() and end.read_text() == expected[1])


def phased(ranks, phase, kills, expected):
    """One job whose ranks die in that phase, `kills` times; how often they did."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="reel-run-"))
    steps = RANDOM.choices(range(2, STEPS + 1, 2) if phase == "checkpoint" else range(STEPS), k=kills)
    (folder / "kills").write_text("".join(
        f"{RANDOM.randrange(ranks)} {step} {phase} {RANDOM.choice((0, RANDOM.randint(0, PHASES[phase])))}\n" for step in steps))
    job = start(folder, ranks, "--max-restarts", str(kills), "--grace", "2")
    try:
        _, text = job.communicate(timeout=60 + 5 * kills)
    except subprocess.TimeoutExpired:
        job.kill()
        check(f"a run killed in {phase} ends", False, f"it hangs, in {folder}")
        return 0
    done = len(list(folder.glob("killed-*")))
    check(f"a run of {ranks} killed in {phase} {done} times", job.returncode == 0 and done == kills, text[-2000:])
    compare(f"killed in {phase}", folder, expected)
    shutil.rmtree(folder)
    return done


def elastic(expected):
    """A rank fewer after each kill; the losses are those of the whole run as far as arithmetic allows."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="reel-run-"))
    job = start(folder, 3, "--max-restarts", "2", "--elastic", "--grace", "2", pause=100)
    before = set()
    for left in (3, 2):
        deadline = time.monotonic() + 60
        ranks = []
        # all of this start's, which are none of the last one's, and with something to go on from
        while len(ranks) != left or before & set(ranks) or not (folder / "checkpoint" / "index.safetensors").exists():
            if time.monotonic() > deadline or job.poll() is not None:
                break
            time.sleep(0.02)
            ranks = children(job.pid)
        check("ranks are started anew", len(ranks) == left and not before & set(ranks), f"{left} expected: {ranks}")
        if len(ranks) != left:
            break
        before = set(ranks)
        os.kill(RANDOM.choice(ranks), signal.SIGKILL)
    _, text = job.communicate(timeout=180)
    check("an elastic run ends well", job.returncode == 0, text)
    check("with fewer ranks each time", "with 2 ranks" in text and "with 1 rank" in text, text)
    found = losses(folder)
    check("every step was taken", len(found) == STEPS, str(sorted(found)))
    shutil.rmtree(folder)


def main():
    expected = {ranks: undisturbed(ranks) for ranks in (2, 3)}
    done = 0
    while done < KILLS and failed == 0:
        ranks = RANDOM.choice((3, 3, 2))
        done += disturbed(ranks, min(KILLS - done, RANDOM.randint(3, 12)), expected[ranks])
    for phase in PHASES:
        in_phase = 0
        while in_phase < EACH and failed == 0:
            ranks = RANDOM.choice((3, 3, 2))
            in_phase += phased(ranks, phase, min(EACH - in_phase, RANDOM.randint(4, 12)), expected[ranks])
        print(f"{in_phase} ranks were killed in {phase}")
    elastic(expected[3])
    print(f"{done} ranks were killed at any time")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
