// Initialisation of parameters, in place, under no-grad.
#pragma once

#include <optional>
#include <utility>

#include <reel/autograd/random.hpp>

namespace reel::nn::init {

/// (fan_in, fan_out) of a weight with at least two dimensions.
std::pair<std::int64_t, std::int64_t> _calculate_fan_in_and_fan_out(const Tensor& t);
Tensor uniform_(Tensor t, double low = 0, double high = 1, std::optional<Generator> generator = std::nullopt);
Tensor normal_(Tensor t, double mean = 0, double std = 1, std::optional<Generator> generator = std::nullopt);
Tensor constant_(Tensor t, const Scalar& value);
Tensor ones_(Tensor t);
Tensor zeros_(Tensor t);
/// U(+-gain sqrt(3 / fan_in)) with gain for leaky ReLU of slope `a`.
Tensor kaiming_uniform_(Tensor t, double a = 0, std::optional<Generator> generator = std::nullopt);

} // namespace reel::nn::init
