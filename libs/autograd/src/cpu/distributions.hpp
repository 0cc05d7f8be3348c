// Single draws from discrete distributions.
#pragma once

#include <reel/autograd/random.hpp>

namespace reel::cpu {

/// From the Poisson distribution.
double draw_poisson(double rate, CPUGeneratorImpl& g);
/// How many of `count` trials succeed with probability p.
double draw_binomial(double count, double p, CPUGeneratorImpl& g);

} // namespace reel::cpu
