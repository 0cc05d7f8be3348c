#!/usr/bin/env python3
"""Writes more_families.safetensors: what torch.distributions gives for the distributions named here.

    python3 test/distributions/data/reference_more.py      (needs torch and safetensors)

A case is CLASS; its parts are the parameters, values, and per member the result. All in float64, seed 0 before a draw.
"""
import pathlib
import warnings
import torch
import torch.distributions as d
from safetensors.torch import save_file

warnings.simplefilter("ignore")
t = lambda *x: torch.tensor(x, dtype=torch.float64)
CASES = {
    "VonMises": (dict(loc=t(0.0, 1.0, -3.0), concentration=t(1.0, 0.2, 50.0)), t(0.5, -2.0, 3.1), None),
    "NegativeBinomial": (dict(total_count=t(3.0, 0.5, 12.0), probs=t(0.3, 0.9, 0.05)), t(0.0, 5.0, 2.0), None),
    "FisherSnedecor": (dict(df1=t(3.0, 1.5, 20.0), df2=t(5.0, 9.0, 4.5)), t(0.5, 2.0, 1.1), None),
    "ContinuousBernoulli": (dict(probs=t(0.3, 0.5003, 0.99)), t(0.1, 0.7, 0.95), dict(probs=t(0.4, 0.2, 0.6))),
    "RelaxedBernoulli": (dict(temperature=t(0.7), probs=t(0.3, 0.5, 0.9)), t(0.1, 0.7, 0.95), None),
    "RelaxedOneHotCategorical": (dict(temperature=t(0.7), probs=t([0.2, 0.3, 0.5], [0.1, 0.1, 0.8])), t([0.2, 0.2, 0.6], [0.05, 0.9, 0.05]), None),
    "LowRankMultivariateNormal": (dict(loc=t([0.0, 1.0, 2.0], [1.0, 1.0, 1.0]), cov_factor=t([1.0, 0.5], [0.0, 2.0], [-1.0, 0.3]), cov_diag=t(0.5, 1.0, 2.0)), t([0.5, 0.0, 1.0], [0.0, 0.0, 0.0]),
                                  dict(loc=t([1.0, 1.0, 1.0], [0.0, 0.0, 0.0]), cov_factor=t([0.2, 0.1], [1.0, 1.0], [0.3, -0.3]), cov_diag=t(1.0, 0.7, 1.5))),
    "Wishart": (dict(df=t(4.5), covariance_matrix=t([2.0, 0.3], [0.3, 1.0])), t([3.0, 1.0], [1.0, 4.0]), dict(df=t(6.0), covariance_matrix=t([1.0, -0.2], [-0.2, 0.5]))),
    "LKJCholesky": (dict(concentration=t(0.7)), torch.linalg.cholesky(t([1.0, 0.3, -0.2], [0.3, 1.0, 0.5], [-0.2, 0.5, 1.0])), None),
}


def make(name, parameters):
    if name == "LKJCholesky":
        return d.LKJCholesky(3, parameters["concentration"].squeeze(0))
    if name in ("Wishart",):
        return d.Wishart(parameters["df"].squeeze(0), parameters["covariance_matrix"])
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
    for k, g in zip(p, torch.autograd.grad(score.sum(), list(p.values()), allow_unused=True, retain_graph=True)):
        put("log_prob.grad." + k, torch.zeros_like(p[k]) if g is None else g)
    for member in ("entropy", "mean", "mode", "variance"):
        try:
            result = getattr(dist, member)
            put(member, result() if callable(result) else result)
        except NotImplementedError:
            pass
    for member, at in (("cdf", value), ("icdf", t(0.1, 0.5, 0.95))):
        try:
            if name != "RelaxedOneHotCategorical":
                put(member, getattr(dist, member)(at))
        except NotImplementedError:
            pass
    if name != "Wishart":  # which throws valid draws away and takes others
        torch.manual_seed(0)
        put("sample", dist.sample((2,)))
    if dist.has_rsample and name != "Wishart":
        torch.manual_seed(0)
        draw = dist.rsample((4,))
        put("rsample", draw)
        for k, g in zip(p, torch.autograd.grad((draw * draw).sum(), list(p.values()), allow_unused=True)):
            put("rsample.grad." + k, torch.zeros_like(p[k]) if g is None else g)
    if other is not None:
        for k, v in other.items():
            put("other." + k, v)
        put("kl", d.kl_divergence(dist, make(name, other)))
save_file(out, str(pathlib.Path(__file__).with_name("more_families.safetensors")))
print(len(CASES), "cases,", len(out), "tensors")
