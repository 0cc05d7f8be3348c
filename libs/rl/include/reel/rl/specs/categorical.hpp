// One of n choices, as a number.
#pragma once

#include <reel/rl/specs/tensor_spec.hpp>

namespace reel::rl {

/// Every element is one of 0 .. n - 1. ValueError for n < 1.
class Categorical : public TensorSpec {
public:
    explicit Categorical(std::int64_t n, IntArrayRef shape = {}, ScalarType dtype = kLong,
                         std::optional<Device> device = std::nullopt);
};

/// The last dimension has a choice for each entry of `nvec`.
class MultiCategorical : public TensorSpec {
public:
    explicit MultiCategorical(std::vector<std::int64_t> nvec,
                              std::optional<std::vector<std::int64_t>> shape = std::nullopt, ScalarType dtype = kLong,
                              std::optional<Device> device = std::nullopt);
};

} // namespace reel::rl
