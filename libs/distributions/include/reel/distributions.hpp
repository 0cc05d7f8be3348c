// Umbrella header of reel_distributions.
#pragma once

#include <reel/distributions/bernoulli.hpp>
#include <reel/distributions/binomial.hpp>
#include <reel/distributions/categorical.hpp>
#include <reel/distributions/cauchy.hpp>
#include <reel/distributions/delta.hpp>
#include <reel/distributions/distribution.hpp>
#include <reel/distributions/exponential.hpp>
#include <reel/distributions/geometric.hpp>
#include <reel/distributions/gumbel.hpp>
#include <reel/distributions/half_cauchy.hpp>
#include <reel/distributions/half_normal.hpp>
#include <reel/distributions/independent.hpp>
#include <reel/distributions/kumaraswamy.hpp>
#include <reel/distributions/laplace.hpp>
#include <reel/distributions/log_normal.hpp>
#include <reel/distributions/mixture_same_family.hpp>
#include <reel/distributions/multinomial.hpp>
#include <reel/distributions/multivariate_normal.hpp>
#include <reel/distributions/normal.hpp>
#include <reel/distributions/one_hot_categorical.hpp>
#include <reel/distributions/pareto.hpp>
#include <reel/distributions/poisson.hpp>
#include <reel/distributions/tanh_normal.hpp>
#include <reel/distributions/uniform.hpp>
#include <reel/distributions/weibull.hpp>
