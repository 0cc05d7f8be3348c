#!/usr/bin/env python3
"""Writes the cases beside it: what torch.distributions and torchrl (0.14.1) compute.

usage: reference.py [FOLDER], with torch and torchrl installed. A tensor's name is CASE:FIELD.
Distributions are evaluated in float64 on parameters that float32 represents, so that both dtypes are held to one truth.
"""
import json
import math
import sys
from pathlib import Path

import torch
import torch.distributions as D
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.modules import (MLP, NormalParamExtractor, ProbabilisticActor, QValueActor, TanhNormal, ValueOperator)
from torchrl.objectives import ClipPPOLoss, DQNLoss, PPOLoss, ReinforceLoss, SACLoss
from torchrl.objectives.value import functional as V

OUT = {}
DTYPES = {torch.float64: "F64", torch.float32: "F32", torch.int64: "I64", torch.bool: "BOOL"}


def save_file(tensors, path):
    """The safetensors format: the header's length, the header, the data."""
    header, data = {}, b""
    for name, t in tensors.items():
        raw = t.contiguous().numpy().tobytes()
        header[name] = {"dtype": DTYPES[t.dtype], "shape": list(t.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def put(case, **fields):
    for name, value in fields.items():
        OUT[f"{case}:{name}"] = torch.as_tensor(value).detach().clone().contiguous()


def rounded(*values):
    return [torch.as_tensor(v, dtype=torch.float32).double().requires_grad_() for v in values]


def distribution_case(case, make, parameters, value, fields=("mean", "variance", "entropy"), with_cdf=False):
    names, leaves = list(parameters), rounded(*parameters.values())
    d = make(**dict(zip(names, leaves)))
    put(case, **dict(zip(names, leaves)), value=value)
    log_prob = d.log_prob(value)
    weights = torch.linspace(0.5, 1.5, log_prob.numel(), dtype=torch.double).view(log_prob.shape)
    put(case, log_prob=log_prob)
    finite = torch.where(log_prob.isfinite(), log_prob, 0)
    grads = torch.autograd.grad((finite * weights).sum(), leaves, retain_graph=True)
    put(case, **{f"log_prob_grad_{n}": g for n, g in zip(names, grads)})
    for field in fields:
        result = getattr(d, field)
        result = result() if callable(result) else result
        put(case, **{field: result})
        if field == "entropy":
            grads = torch.autograd.grad(result.sum(), leaves, allow_unused=True, retain_graph=True)
            put(case, **{f"entropy_grad_{n}": g for n, g in zip(names, grads) if g is not None})
    if with_cdf:
        put(case, cdf=d.cdf(value))
    single = make(**{n: p.detach().float() for n, p in zip(names, leaves)})
    torch.manual_seed(7)
    put(case, sample=single.sample((3,)))


def distributions():
    g = torch.Generator().manual_seed(0)

    def randn(*s):
        return torch.randn(*s, generator=g)

    inf = math.inf
    quiet = dict(validate_args=False)
    normal = lambda loc, scale: D.Normal(loc, scale, **quiet)
    distribution_case("Normal.plain", normal, dict(loc=randn(4, 3), scale=randn(4, 3).exp()), randn(4, 3).double(),
                      with_cdf=True)
    distribution_case("Normal.tiny_scale", normal, dict(loc=[1.0, -2.0, 0.0], scale=[1e-12, 1e-25, 1e-30]),
                      torch.tensor([1.0, -2.0, 2e-30]).double())
    distribution_case("Normal.wide", normal, dict(loc=randn(5), scale=[1e10, 1e3, 50.0, 1e-3, 2.0]),
                      (randn(5) * 3).double(), with_cdf=True)
    categorical = lambda **p: D.Categorical(**p, **quiet)
    index = torch.tensor([[0, 2, 1], [3, 3, 0]])
    distribution_case("Categorical.logits", categorical, dict(logits=randn(2, 3, 4)), index, ("entropy",))
    distribution_case("Categorical.extreme", categorical,
                      dict(logits=[[1e4, -1e4, 0.0, 3.0], [-80.0, 90.0, 89.0, -inf], [-inf, -inf, 2.0, -inf]]),
                      torch.tensor([0, 2, 2]), ("entropy",))
    distribution_case("Categorical.probs", categorical, dict(probs=torch.rand(2, 3, 4, generator=g) + 0.01), index,
                      ("entropy",))
    one_hot = lambda **p: D.OneHotCategorical(**p, **quiet)
    distribution_case("OneHotCategorical.logits", one_hot, dict(logits=randn(5, 4)),
                      nn.functional.one_hot(torch.tensor([0, 3, 2, 1, 1]), 4).double())
    bernoulli = lambda **p: D.Bernoulli(**p, **quiet)
    bits = torch.tensor([1.0, 0.0, 0.0, 1.0, 1.0]).double()
    distribution_case("Bernoulli.logits", bernoulli, dict(logits=[0.3, -2.0, 4.0, -30.0, 30.0]), bits)
    distribution_case("Bernoulli.probs", bernoulli, dict(probs=[0.3, 0.9, 0.5, 0.001, 0.999]), bits)
    independent = lambda loc, scale: D.Independent(D.Normal(loc, scale, **quiet), 1, **quiet)
    distribution_case("Independent.normal", independent, dict(loc=randn(4, 3), scale=randn(4, 3).exp()),
                      randn(4, 3).double())
    tanh = lambda loc, scale: TanhNormal(loc, scale)
    scaled = lambda loc, scale: TanhNormal(loc, scale, low=torch.tensor(-2.0).double(), high=torch.tensor(0.5).double())
    located = lambda loc, scale: TanhNormal(loc, scale, tanh_loc=True, upscale=5.0, event_dims=0)
    for name, make, low, high in (("plain", tanh, -1, 1), ("bounds", scaled, -2, 0.5), ("tanh_loc", located, -1, 1)):
        value = torch.tanh(randn(4, 3)).double() * (high - low) / 2 * 0.95 + (high + low) / 2
        distribution_case(f"TanhNormal.{name}", make, dict(loc=randn(4, 3) * 2, scale=randn(4, 3).exp()), value,
                          ("deterministic_sample",))
    distribution_case("TanhNormal.saturated", tanh, dict(loc=[[3.0, -4.0], [0.0, 6.0]], scale=[[0.1, 2.0], [1e-3, 0.5]]),
                      torch.tensor([[0.995, -0.9999], [1e-3, 0.99999]]).double(), ("deterministic_sample",))

    def divergence(name, make, p, q):
        p, q = ({n: t for n, t in zip(d, rounded(*d.values()))} for d in (p, q))
        r = D.kl_divergence(make(**p), make(**q))
        leaves = [*p.values(), *q.values()]
        put(f"kl.{name}", kl=r, **{f"p_{n}": t for n, t in p.items()}, **{f"q_{n}": t for n, t in q.items()},
            **{f"grad_{i}": t for i, t in enumerate(torch.autograd.grad(r.sum(), leaves))})

    divergence("Normal", normal, dict(loc=randn(5), scale=randn(5).exp()), dict(loc=randn(5), scale=randn(5).exp()))
    divergence("Categorical", categorical, dict(logits=randn(5, 3)), dict(logits=randn(5, 3)))
    divergence("OneHotCategorical", one_hot, dict(logits=randn(5, 3)), dict(logits=randn(5, 3)))
    divergence("Bernoulli", bernoulli, dict(logits=randn(5)), dict(logits=randn(5)))
    divergence("Independent", independent, dict(loc=randn(4, 3), scale=randn(4, 3).exp()),
               dict(loc=randn(4, 3), scale=randn(4, 3).exp()))
    for mapping in ("biased_softplus_1.0", "biased_softplus_0.5_0.1", "softplus", "exp", "relu", "expln", "none"):
        x = randn(5, 6).double() * 3
        loc, scale = NormalParamExtractor(scale_mapping=mapping, scale_lb=0.02)(x)
        put(f"extractor.{mapping}", input=x, loc=loc, scale=scale)


def estimators():
    for i, (shape, p) in enumerate((((2, 3, 7, 1), 0.3), ((6, 1), 0.2), ((4, 5, 2), 0.5), ((3, 1, 1), 0.5),
                                    ((2, 9, 1), 0.0))):
        g = torch.Generator().manual_seed(i)
        draw = lambda: torch.randn(shape, generator=g, dtype=torch.double)
        value, next_value, reward = draw(), draw(), draw()
        done = torch.rand(shape, generator=g) < p
        terminated = done & (torch.rand(shape, generator=g) < 0.5)
        log_pi, log_mu = draw() * 0.3, draw() * 0.3
        gamma, lmbda = 0.93, 0.8
        case = f"estimate{i}"
        put(case, value=value, next_value=next_value, reward=reward, done=done, terminated=terminated, log_pi=log_pi,
            log_mu=log_mu)
        value.requires_grad_()
        next_value.requires_grad_()
        a, t = V.generalized_advantage_estimate(gamma, lmbda, value, next_value, reward, done, terminated)
        ga, gn = torch.autograd.grad((a * reward).sum(), [value, next_value], retain_graph=True)
        put(case, gae=a, gae_target=t, gae_grad_value=ga, gae_grad_next_value=gn)
        put(case, td0=V.td0_return_estimate(gamma, next_value, reward, terminated))
        put(case, td1=V.td1_return_estimate(gamma, next_value, reward, done, terminated))
        put(case, td_lambda=V.td_lambda_return_estimate(gamma, lmbda, next_value, reward, done, terminated))
        put(case, td_lambda_advantage=V.td_lambda_advantage_estimate(gamma, lmbda, value, next_value, reward, done,
                                                                    terminated))
        a, t = V.vtrace_advantage_estimate(gamma, log_pi, log_mu, value, next_value, reward, done, terminated,
                                           rho_thresh=1.1, c_thresh=0.9)
        gamma_t = torch.rand(shape, generator=g, dtype=torch.double)
        put(case, gamma_t=gamma_t,
            gae_gamma_t=V.generalized_advantage_estimate(gamma_t, lmbda, value, next_value, reward, done, terminated)[0],
            td_lambda_gamma_t=V.td_lambda_return_estimate(gamma_t, lmbda, next_value, reward, done, terminated,
                                                          rolling_gamma=True))
        put(case, vtrace=a, vtrace_target=t, reward2go=V.reward2go(reward, done, gamma))


def batch(n, action, g, steps=False):
    draw = lambda *s: torch.randn(*s, generator=g)
    done = torch.rand(n, 1, generator=g) < 0.4
    td = TensorDict({"observation": draw(n, 3), "action": action,
                     "next": {"observation": draw(n, 3), "reward": draw(n, 1), "done": done,
                              "terminated": done & (torch.rand(n, 1, generator=g) < 0.5)}}, [n])
    if steps:
        td["steps_to_next_obs"] = torch.randint(1, 4, (n,), generator=g)
    return td


def loss_case(case, loss, data, networks, seed=3):
    put(case, **{"data." + (k if isinstance(k, str) else ".".join(k)): v for k, v in data.items(True, True)})
    for name, network in networks.items():
        put(case, **{f"{name}.{k}": v for k, v in network.state_dict().items()})
    torch.manual_seed(seed)
    out = loss(data)
    sum(v for k, v in out.items() if k.startswith("loss")).backward()
    put(case, **{f"out.{k}": v for k, v in out.items()})
    if "td_error" in data.keys():
        put(case, td_error=data["td_error"])
    grads = {n: p.grad for n, p in loss.named_parameters() if p.grad is not None}
    for name, g in sorted(grads.items()):
        put(case, **{f"grad.{name}": g})


def discrete_actor(seed):
    torch.manual_seed(seed)
    net = MLP(in_features=3, out_features=4, num_cells=[5])
    module = TensorDictModule(net, in_keys=["observation"], out_keys=["logits"])
    return net, ProbabilisticActor(module, in_keys=["logits"], distribution_class=D.Categorical, return_log_prob=True)


def continuous_actor(seed):
    torch.manual_seed(seed)
    net = nn.Sequential(MLP(in_features=3, out_features=4, num_cells=[5]), NormalParamExtractor())
    module = TensorDictModule(net, in_keys=["observation"], out_keys=["loc", "scale"])
    return net, ProbabilisticActor(module, in_keys=["loc", "scale"], distribution_class=TanhNormal,
                                   return_log_prob=True)


def losses():
    g = torch.Generator().manual_seed(11)
    for name, one_hot, double, steps, kind in (("plain", True, False, False, "l2"), ("double", True, True, False, "l2"),
                                               ("steps", False, True, True, "smooth_l1"),
                                               ("categorical", False, False, True, "l1")):
        torch.manual_seed(5)
        net = MLP(in_features=3, out_features=4, num_cells=[5])
        actor = QValueActor(net, in_keys=["observation"], action_space="one-hot" if one_hot else "categorical")
        loss = DQNLoss(actor, double_dqn=double, delay_value=True, loss_function=kind,
                       action_space="one-hot" if one_hot else "categorical")
        loss.make_value_estimator(gamma=0.9)
        target = {}
        for k, p in loss.target_value_network_params.flatten_keys(".").items():
            p.data.add_(0.3 * torch.randn(p.shape, generator=g))
            target[k.removeprefix("module.0.module.")] = p
        index = torch.randint(0, 4, (6,), generator=g)
        data = batch(6, nn.functional.one_hot(index, 4) if one_hot else index, g, steps)
        if name == "steps":
            data["priority_weight"] = torch.rand(6, generator=g)
        put(f"DQN.{name}", **{"target." + k: v for k, v in target.items()})
        loss_case(f"DQN.{name}", loss, data, {"net": net})

    for name, cls, options in (("clip", ClipPPOLoss, dict(normalize_advantage=True, entropy_coeff=0.02)),
                               ("value_clip", ClipPPOLoss, dict(clip_epsilon=0.1, clip_value=0.2, critic_coeff=0.5,
                                                                loss_critic_type="l2")),
                               ("plain", PPOLoss, {}), ("continuous", ClipPPOLoss, dict(entropy_coeff=0.1))):
        net, actor = continuous_actor(6) if name == "continuous" else discrete_actor(6)
        critic_net = MLP(in_features=3, out_features=1, num_cells=[5])
        loss = cls(actor, ValueOperator(critic_net, in_keys=["observation"]), **options)
        action = torch.tanh(torch.randn(8, 2, generator=g)) * 0.9 if name == "continuous" else torch.randint(
            0, 4, (8,), generator=g)
        data = batch(8, action, g)
        with torch.no_grad():
            data["action_log_prob"] = actor.get_dist(data).log_prob(action) + 0.3 * torch.randn(8, generator=g)
            data["state_value"] = critic_net(data["observation"]) + 0.3 * torch.randn(8, 1, generator=g)
        data["advantage"] = torch.randn(8, 1, generator=g)
        data["value_target"] = torch.randn(8, 1, generator=g)
        loss_case(f"PPO.{name}", loss, data, {"actor": net, "critic": critic_net})

    net, actor = discrete_actor(8)
    critic_net = MLP(in_features=3, out_features=1, num_cells=[5])
    data = batch(8, torch.randint(0, 4, (8,), generator=g), g)
    data["advantage"] = torch.randn(8, 1, generator=g)
    data["value_target"] = torch.randn(8, 1, generator=g)
    loss_case("Reinforce", ReinforceLoss(actor, ValueOperator(critic_net, in_keys=["observation"])), data,
              {"actor": net, "critic": critic_net})

    for name, steps in (("plain", False), ("steps", True)):
        net, actor = continuous_actor(9)
        q_nets = [MLP(in_features=5, out_features=1, num_cells=[5]) for _ in range(2)]
        q_values = [ValueOperator(q, in_keys=["observation", "action"]) for q in q_nets]
        loss = SACLoss(actor, q_values, num_qvalue_nets=2, target_entropy=-2.0, alpha_init=0.4)
        loss.make_value_estimator(gamma=0.9)
        target = {}
        for k, p in loss.target_qvalue_network_params.flatten_keys(".").items():
            p.data.add_(0.2 * torch.randn(p.shape, generator=g))
            for i in range(2):
                target[f"{i}.{k.removeprefix('module.')}"] = p[i]
        data = batch(10, torch.tanh(torch.randn(10, 2, generator=g)), g, steps)
        put(f"SAC.{name}", **{"target." + k: v for k, v in target.items()})
        loss_case(f"SAC.{name}", loss, data, {"actor": net, "q0": q_nets[0], "q1": q_nets[1]})


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)
    for write in (distributions, estimators, losses):
        OUT.clear()
        write()
        save_file(dict(OUT), folder / f"{write.__name__}.safetensors")
        print(write.__name__, len(OUT), "tensors")


if __name__ == "__main__":
    main()
