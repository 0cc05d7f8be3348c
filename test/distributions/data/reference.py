#!/usr/bin/env python3
"""Writes reference.safetensors: what torch.distributions gives for the distributions named here.

    python3 test/distributions/data/reference.py      (needs torch and safetensors)

A case is CLASS; its parts are the parameters, values, and per member the result. All in float64, seed 0 before a draw.
"""
import pathlib
import warnings
import torch
import torch.distributions as d
from safetensors.torch import save_file

warnings.simplefilter("ignore")
t = lambda *x: torch.tensor(x, dtype=torch.float64)
# ContinuousBernoulli: near probabilities of 1/2 the reference's cdf, icdf and draws are those of a uniform variable.
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
    "VonMises": (dict(loc=t(0.0, 1.0, -3.0), concentration=t(1.0, 0.2, 50.0)), t(0.5, -2.0, 3.1), None),
    "NegativeBinomial": (dict(total_count=t(3.0, 0.5, 12.0), probs=t(0.3, 0.9, 0.05)), t(0.0, 5.0, 2.0), None),
    "FisherSnedecor": (dict(df1=t(3.0, 1.5, 20.0), df2=t(5.0, 9.0, 4.5)), t(0.5, 2.0, 1.1), None),
    "ContinuousBernoulli": (dict(probs=t(0.3, 0.45, 0.99)), t(0.1, 0.7, 0.95), dict(probs=t(0.4, 0.2, 0.6))),
    "RelaxedBernoulli": (dict(temperature=t(0.7), probs=t(0.3, 0.5, 0.9)), t(0.1, 0.7, 0.95), None),
    "RelaxedOneHotCategorical": (dict(temperature=t(0.7), probs=t([0.2, 0.3, 0.5], [0.1, 0.1, 0.8])), t([0.2, 0.2, 0.6], [0.05, 0.9, 0.05]), None),
    "LowRankMultivariateNormal": (dict(loc=t([0.0, 1.0, 2.0], [1.0, 1.0, 1.0]), cov_factor=t([1.0, 0.5], [0.0, 2.0], [-1.0, 0.3]), cov_diag=t(0.5, 1.0, 2.0)), t([0.5, 0.0, 1.0], [0.0, 0.0, 0.0]),
                                  dict(loc=t([1.0, 1.0, 1.0], [0.0, 0.0, 0.0]), cov_factor=t([0.2, 0.1], [1.0, 1.0], [0.3, -0.3]), cov_diag=t(1.0, 0.7, 1.5))),
    "Wishart": (dict(df=t(4.5), covariance_matrix=t([2.0, 0.3], [0.3, 1.0])), t([3.0, 1.0], [1.0, 4.0]), dict(df=t(6.0), covariance_matrix=t([1.0, -0.2], [-0.2, 0.5]))),
    "LKJCholesky": (dict(concentration=t(0.7)), torch.linalg.cholesky(t([1.0, 0.3, -0.2], [0.3, 1.0, 0.5], [-0.2, 0.5, 1.0])), None),
}


def make(name, parameters):
    if name == "Multinomial":
        return d.Multinomial(5, **parameters)
    if name == "LKJCholesky":
        return d.LKJCholesky(3, parameters["concentration"].squeeze(0))
    if name == "Wishart":
        return d.Wishart(parameters["df"].squeeze(0), parameters["covariance_matrix"])
    return getattr(d, name)(**parameters)


out = {}
for name, (parameters, value, other) in CASES.items():
    # a count has a gradient where the distribution takes any positive number for it
    p = {k: v.clone().requires_grad_(not (k == "total_count" and name == "Binomial")) for k, v in parameters.items()}
    leaves = {k: v for k, v in p.items() if v.requires_grad}
    dist = make(name, p)

    def put(part, v):
        out[f"{name}:{part}"] = v.detach().double().contiguous().clone()

    def put_grads(part, result):
        grads = torch.autograd.grad(result, list(leaves.values()), allow_unused=True, retain_graph=True)
        for k, g in zip(leaves, grads):
            put(f"{part}.grad.{k}", torch.zeros_like(leaves[k]) if g is None else g)

    for k, v in parameters.items():
        put(k, v)
    put("value", value)
    score = dist.log_prob(value)
    put("log_prob", score)
    put_grads("log_prob", score.sum())
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
        if dist.has_rsample:
            torch.manual_seed(0)
            draw = dist.rsample((4,))
            put("rsample", draw)
            put_grads("rsample", (draw * draw).sum())
    if other is not None:
        for k, v in other.items():
            put("other." + k, v)
        put("kl", d.kl_divergence(dist, make(name, other)))
save_file(out, str(pathlib.Path(__file__).with_name("reference.safetensors")))
print(len(CASES), "cases,", len(out), "tensors")
