// Umbrella header of reel_distributions.
#pragma once

#include <reel/distributions/bernoulli.hpp>
#include <reel/distributions/categorical.hpp>
#include <reel/distributions/delta.hpp>
#include <reel/distributions/distribution.hpp>
#include <reel/distributions/independent.hpp>
#include <reel/distributions/normal.hpp>
#include <reel/distributions/one_hot_categorical.hpp>
#include <reel/distributions/tanh_normal.hpp>
