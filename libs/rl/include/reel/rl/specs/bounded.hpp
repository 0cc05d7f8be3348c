// Numbers between bounds.
#pragma once

#include <reel/rl/specs/tensor_spec.hpp>

namespace reel::rl {

/// Every element lies in [low, high] (either may be infinite). Tensors as bounds broadcast to `shape`, which is theirs
/// when none is given. dtype: floating, or an integer type whose draws take every integer alike.
/// Errors: ValueError for low > high or NaN, Error for bounds that do not broadcast.
class Bounded : public TensorSpec {
public:
    Bounded(double low, double high, IntArrayRef shape, ScalarType dtype = kFloat,
            std::optional<Device> device = std::nullopt);
    Bounded(const Tensor& low, const Tensor& high, std::optional<std::vector<std::int64_t>> shape = std::nullopt,
            std::optional<ScalarType> dtype = std::nullopt, std::optional<Device> device = std::nullopt);
};

} // namespace reel::rl
