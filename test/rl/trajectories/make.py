#!/usr/bin/env python3
"""Writes the trajectories beside this file with gymnasium (1.4.0): given first states and actions, what it observed.

Lines: "state x ..." begins a trajectory at these numbers (float64); "step action reward terminated observation ..." goes
on from there. Every number is written with as many digits as its precision needs. Usage: make.py [folder]
"""
import pathlib
import sys

import gymnasium
import numpy as np

RNG = np.random.default_rng(14)


def text(x):
    return str(np.asarray(x)[()])


def near_upright(k):
    return RNG.uniform(-0.05, 0.05, 4) if k < 3 else RNG.uniform(-1, 1, 4) * np.array([2.3, 1, 0.2, 1])


def pendulum(k):
    return RNG.uniform([-np.pi, -1], [np.pi, 1]) if k < 3 else np.array([7.0, -7.5])


def car(k):
    chosen = [[-0.5, 0.0], [-1.15, -0.05], [0.45, 0.06]]
    return np.array(chosen[k]) if k < 3 else RNG.uniform([-0.6, -0.07], [-0.4, 0.07])


def throttled_car(k):
    return {1: np.array([-1.15, -0.05]), 2: np.array([0.43, 0.06])}.get(k)


def acrobot(k):
    return None if k < 2 else RNG.uniform(-1, 1, 4) * np.array([3.1, 3.1, 6, 12])


def semi_implicit(env):
    env.kinematics_integrator = "semi-implicit euler"


def nips(env):
    env.book_or_nips = "nips"


# file: name, trajectories, steps, options, first states (None: the one it draws), change of the environment
FILES = {
    "cart_pole": ("CartPole-v1", 5, 40, {}, near_upright, None),
    "cart_pole_sutton_barto": ("CartPole-v1", 1, 40, {"sutton_barto_reward": True}, near_upright, None),
    "cart_pole_semi_implicit": ("CartPole-v1", 2, 30, {}, near_upright, semi_implicit),
    "pendulum": ("Pendulum-v1", 4, 40, {}, pendulum, None),
    "mountain_car": ("MountainCar-v0", 4, 40, {}, car, None),
    "mountain_car_continuous": ("MountainCarContinuous-v0", 4, 40, {}, throttled_car, None),
    "acrobot": ("Acrobot-v1", 4, 30, {}, acrobot, None),
    "acrobot_nips": ("Acrobot-v1", 1, 20, {}, lambda k: None, nips),
}


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    for file, (name, count, steps, options, first, change) in FILES.items():
        lines = []
        for k in range(count):
            env = gymnasium.make(name, disable_env_checker=True, **options).unwrapped
            if change:
                change(env)
            env.reset(seed=k)
            state = first(k)
            if state is not None:
                env.state = np.array(state, dtype=np.float64)
            lines.append("state " + " ".join(text(np.float64(x)) for x in env.state))
            for _ in range(steps):
                if hasattr(env.action_space, "n"):
                    action = given = int(RNG.integers(env.action_space.n))
                else:
                    given = RNG.uniform(env.action_space.low, env.action_space.high).astype(np.float32)
                    action = given[0]
                observation, reward, terminated, _, _ = env.step(given)
                lines.append(" ".join(["step", text(action), text(np.float32(reward)), str(int(terminated)),
                                       *map(text, observation)]))
        (folder / (file + ".txt")).write_text("\n".join(lines) + "\n")


main()
