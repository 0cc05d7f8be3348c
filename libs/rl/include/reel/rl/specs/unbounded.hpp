// Any number of a dtype.
#pragma once

#include <initializer_list>

#include <reel/rl/specs/tensor_spec.hpp>

namespace reel::rl {

/// Draws are standard normal for floating dtypes, uniform over the dtype's range for integers, fair coins for bool.
class Unbounded : public TensorSpec {
public:
    Unbounded(std::initializer_list<std::int64_t> shape, ScalarType dtype = kFloat,
              std::optional<Device> device = std::nullopt)
        : Unbounded(IntArrayRef(shape), dtype, device) {}
    explicit Unbounded(IntArrayRef shape = {}, ScalarType dtype = kFloat, std::optional<Device> device = std::nullopt);
};

} // namespace reel::rl
