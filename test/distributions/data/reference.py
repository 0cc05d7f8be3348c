#!/usr/bin/env python3
"""Writes continuous_and_counts.safetensors: what torch.distributions gives for the distributions named here.

    python3 test/distributions/data/reference.py      (needs torch and safetensors)

A case is CLASS; its parts are the parameters, values, and per member the result. All in float64, seed 0 before a draw.
"""
import pathlib
import torch
import torch.distributions as d
from safetensors.torch import save_file

t = lambda *x: torch.tensor(x, dtype=torch.float64)
CASES = {
    "Uniform": (dict(low=t(-1.0, 0.0, 2.0), high=t(1.0, 0.5, 7.0)), t(0.25, 0.1, 2.0), dict(low=t(-2.0, -1.0, 2.5), high=t(1.5, 1.0, 8.0))),
    "Exponential": (dict(rate=t(0.5, 1.0, 4.0)), t(0.1, 1.0, 3.0), dict(rate=t(1.0, 0.25, 4.0))),
    "Laplace": (dict(loc=t(0.0, 1.0, -3.0), scale=t(1.0, 0.2, 5.0)), t(0.5, 0.9, -20.0), dict(loc=t(1.0, 1.0, 2.0), scale=t(2.0, 0.1, 5.0))),
    "Cauchy": (dict(loc=t(0.0, 1.0, -3.0), scale=t(1.0, 0.2, 5.0)), t(0.5, 0.9, -20.0), dict(loc=t(1.0, 1.0, 2.0), scale=t(2.0, 0.1, 5.0))),
    "Gumbel": (dict(loc=t(0.0, 1.0, -3.0), scale=t(1.0, 0.2, 5.0)), t(0.5, 0.9, -6.0), dict(loc=t(1.0, 1.0, 2.0), scale=t(2.0, 0.3, 5.0))),
    "LogNormal": (dict(loc=t(0.0, 1.0, -1.0), scale=t(1.0, 0.2, 0.5)), t(0.5, 3.0, 0.01), dict(loc=t(1.0, 1.0, 2.0), scale=t(2.0, 0.1, 0.5))),
    "HalfNormal": (dict(scale=t(1.0, 0.2, 5.0)), t(0.5, 0.01, 9.0), dict(scale=t(2.0, 0.1, 5.0))),
    "HalfCauchy": (dict(scale=t(1.0, 0.2, 5.0)), t(0.5, 0.01, 9.0), None),
    "Pareto": (dict(scale=t(1.0, 0.2, 5.0), alpha=t(3.0, 2.5, 4.0)), t(1.5, 0.3, 9.0), dict(scale=t(0.5, 0.2, 4.0), alpha=t(2.0, 1.0, 4.0))),
    "Weibull": (dict(scale=t(1.0, 0.2, 5.0), concentration=t(1.0, 2.5, 0.7)), t(1.5, 0.3, 9.0), None),
    "Kumaraswamy": (dict(concentration1=t(1.5, 2.5, 0.7), concentration0=t(2.0, 1.5, 3.0)), t(0.5, 0.3, 0.9), None),
    "Poisson": (dict(rate=t(0.5, 4.0, 30.0)), t(0.0, 5.0, 25.0), dict(rate=t(1.0, 4.0, 20.0))),
    "Gamma": (dict(concentration=t(0.5, 2.0, 30.0), rate=t(1.0, 0.2, 5.0)), t(0.1, 7.0, 6.5), dict(concentration=t(1.0, 2.5, 20.0), rate=t(2.0, 0.2, 4.0))),
    "Beta": (dict(concentration1=t(0.5, 2.0, 30.0), concentration0=t(1.5, 3.0, 20.0)), t(0.1, 0.7, 0.65), dict(concentration1=t(1.0, 2.5, 20.0), concentration0=t(2.0, 0.2, 4.0))),
    "InverseGamma": (dict(concentration=t(2.5, 3.0, 30.0), rate=t(1.0, 0.2, 5.0)), t(0.1, 7.0, 0.2), dict(concentration=t(1.0, 2.5, 20.0), rate=t(2.0, 0.2, 4.0))),
    "Chi2": (dict(df=t(1.0, 3.0, 30.0)), t(0.1, 7.0, 26.0), dict(df=t(2.0, 3.0, 20.0))),
    "StudentT": (dict(df=t(2.5, 3.0, 30.0), loc=t(0.0, 1.0, -3.0), scale=t(1.0, 0.2, 5.0)), t(0.5, 0.9, -20.0), None),
    "Dirichlet": (dict(concentration=t([1.5, 2.0, 3.0], [1.2, 5.0, 1.1])), t([0.2, 0.3, 0.5], [0.1, 0.8, 0.1]), dict(concentration=t([1.0, 1.0, 3.0], [1.2, 5.0, 2.1]))),
    "Geometric": (dict(probs=t(0.5, 0.1, 0.9)), t(0.0, 5.0, 2.0), dict(probs=t(0.25, 0.1, 0.3))),
    "Binomial": (dict(total_count=t(7.0, 7.0, 7.0), probs=t(0.5, 0.1, 0.9)), t(0.0, 5.0, 7.0), dict(total_count=t(7.0, 7.0, 7.0), probs=t(0.25, 0.1, 0.3))),
    "Multinomial": (dict(probs=t([0.2, 0.3, 0.5], [0.1, 0.1, 0.8])), t([2.0, 1.0, 2.0], [0.0, 0.0, 5.0]), None),
    "MultivariateNormal": (dict(loc=t([0.0, 1.0], [2.0, -1.0]), covariance_matrix=t([2.0, 0.3], [0.3, 1.0])), t([0.5, 0.5], [3.0, 3.0]),
                           dict(loc=t([1.0, 1.0], [2.0, 0.0]), covariance_matrix=t([1.0, -0.2], [-0.2, 3.0]))),
}


def make(name, parameters):
    if name == "Multinomial":
        return d.Multinomial(5, **parameters)
    return getattr(d, name)(**parameters)


out = {}
for name, (parameters, value, other) in CASES.items():
    p = {k: v.clone().requires_grad_() for k, v in parameters.items()}
    dist = make(name, p)
    put = lambda part, v: out.__setitem__(f"{name}:{part}", v.detach().double().contiguous().clone())
    for k, v in parameters.items():
        put(k, v)
    put("value", value)
    score = dist.log_prob(value)
    put("log_prob", score)
    leaves = [v for k, v in p.items() if k != "total_count"]
    for k, g in zip([k for k in p if k != "total_count"], torch.autograd.grad(score.sum(), leaves, allow_unused=True, retain_graph=True)):
        put("log_prob.grad." + k, torch.zeros_like(p[k]) if g is None else g)
    for member in ("entropy", "mean", "mode", "variance"):
        try:
            result = getattr(dist, member)
            put(member, result() if callable(result) else result)
        except NotImplementedError:
            pass
    for member, at in (("cdf", value), ("icdf", t(0.1, 0.5, 0.95))):
        try:
            put(member, getattr(dist, member)(at))
        except NotImplementedError:
            pass
    torch.manual_seed(0)
    put("sample", dist.sample((2,)))
    if dist.has_rsample:
        torch.manual_seed(0)
        draw = dist.rsample((4,))
        put("rsample", draw)
        for k, g in zip(p, torch.autograd.grad(draw.sum(), leaves, allow_unused=True)):
            put("rsample.grad." + k, torch.zeros_like(p[k]) if g is None else g)
    if other is not None:
        for k, v in other.items():
            put("other." + k, v)
        put("kl", d.kl_divergence(dist, make(name, other)))
save_file(out, str(pathlib.Path(__file__).with_name("continuous_and_counts.safetensors")))
print(len(CASES), "cases,", len(out), "tensors")
