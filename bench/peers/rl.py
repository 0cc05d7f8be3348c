#!/usr/bin/env python3
"""The work of bench/rl.cpp in Python's packages, one process, medians in microseconds a step, a frame or a call.

usage: rl.py THREADS torchrl|gymnasium      (pip install torchrl gymnasium; measured with 0.14.1 and 1.4.0)
"""
import logging
import statistics
import sys
import time
import warnings

warnings.filterwarnings("ignore")


def median_us(f, warm, reps, inner=1):
    for _ in range(warm):
        f()
    times = []
    for _ in range(reps):
        start = time.perf_counter()
        for _ in range(inner):
            f()
        times.append((time.perf_counter() - start) / inner * 1e6)
    return statistics.median(times)


def row(name, us):
    print(f"{name:<34s} {us:12.3f} us", flush=True)


def gymnasium_rows():
    import gymnasium

    env = gymnasium.make("CartPole-v1")
    env.reset(seed=0)
    env.action_space.seed(0)

    def step():
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()

    row("rl_cartpole_step", median_us(step, 50, 11, 1000))
    for name, mode in (("rl_cartpole_256_step", "vector_entry_point"), ("rl_cartpole_vector_env_256_step", "sync")):
        # the one vectorises the equations, the other steps one environment after the other
        envs = gymnasium.make_vec("CartPole-v1", num_envs=256, vectorization_mode=mode)
        envs.reset(seed=0)
        envs.action_space.seed(0)
        row(name, median_us(lambda: envs.step(envs.action_space.sample()), 20, 11, 20))
        envs.close()


def env_rows():
    from torchrl.envs import GymEnv, SerialEnv

    for name, env, inner in (("rl_cartpole_step", GymEnv("CartPole-v1"), 200),
                             ("rl_cartpole_vector_env_256_step", SerialEnv(256, lambda: GymEnv("CartPole-v1")), 1)):
        env.set_seed(0)
        state = {"td": env.reset()}

        def step():
            state["td"] = env.step_and_maybe_reset(env.rand_action(state["td"]))[1]

        row(name, median_us(step, 3, 7, inner))
        env.close()


def two_layers():
    from torch import nn
    from torchrl.envs import GymEnv
    from torchrl.modules import MLP, QValueActor

    net = MLP(in_features=4, out_features=2, num_cells=[64], activation_class=nn.Tanh)
    return QValueActor(net, in_keys=["observation"], spec=GymEnv("CartPole-v1").action_spec)


def collector_rows(threads):
    from torchrl.collectors import Collector, MultiCollector
    from torchrl.envs import GymEnv

    frames = 1024

    def run(name, collector):
        batches = iter(collector)
        row(name, median_us(lambda: next(batches), 1, 5) / frames)
        collector.shutdown()

    run("rl_collector_frame", Collector(GymEnv("CartPole-v1"), two_layers(), frames_per_batch=frames, total_frames=-1))
    if threads > 1:
        makers = [lambda: GymEnv("CartPole-v1")] * 2
        run("rl_collector_2_envs_frame", MultiCollector(makers, two_layers(), frames_per_batch=frames, total_frames=-1,
                                                        sync=True))


def multi_step_row():
    import torch
    from tensordict import TensorDict
    from torchrl.data import MultiStep

    b, t = 256, 64
    done = torch.rand(b, t, 1) < 0.05
    batch = TensorDict({"observation": torch.randn(b, t, 4), "action": torch.randint(2, (b, t)),
                        "next": {"observation": torch.randn(b, t, 4), "state": torch.randn(b, t, 8),
                                 "goal": torch.randn(b, t, 2), "step_count": torch.randint(500, (b, t, 1)),
                                 "reward": torch.randn(b, t, 1), "done": done, "terminated": done.clone(),
                                 "truncated": torch.zeros(b, t, 1, dtype=torch.bool)}}, [b, t])
    multi_step = MultiStep(gamma=0.99, n_steps=3)
    with torch.no_grad():
        row("rl_multi_step_256x64", median_us(lambda: multi_step(batch.clone(False)), 5, 51))


def replay_rows():
    import torch
    from tensordict import TensorDict
    from torchrl.data import LazyTensorStorage, TensorDictPrioritizedReplayBuffer

    n, batch = 1000000, 256
    buffer = TensorDictPrioritizedReplayBuffer(alpha=0.6, beta=0.4, storage=LazyTensorStorage(n))

    def rows(count):
        return TensorDict({"observation": torch.randn(count, 4), "action": torch.randint(2, (count,)),
                           "next": {"observation": torch.randn(count, 4), "reward": torch.randn(count, 1),
                                    "done": torch.zeros(count, 1, dtype=torch.bool)}}, [count])

    buffer.extend(rows(n))
    buffer.update_priority(torch.arange(n), torch.rand(n))
    index, priority, more = torch.randint(n, (batch,)), torch.rand(batch), rows(batch)
    row("rl_replay_sample_256_of_1M", median_us(lambda: buffer.sample(batch), 20, 101, 5))
    row("rl_replay_update_256_of_1M", median_us(lambda: buffer.update_priority(index, priority), 20, 101, 5))
    row("rl_replay_extend_256", median_us(lambda: buffer.extend(more), 20, 101, 5))


def main():
    threads, package = int(sys.argv[1]), sys.argv[2]
    if package == "gymnasium":
        gymnasium_rows()
        return
    import torch

    logging.disable(logging.CRITICAL)
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    env_rows()
    collector_rows(threads)
    multi_step_row()
    replay_rows()


if __name__ == "__main__":
    main()
