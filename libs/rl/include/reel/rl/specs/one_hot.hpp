// One of n choices, as a row with a single one.
#pragma once

#include <reel/rl/specs/tensor_spec.hpp>

namespace reel::rl {

/// The last dimension has `n` positions, one of which is 1 (true) and the others 0. ValueError for n < 1 or a shape
/// that does not end with n.
class OneHot : public TensorSpec {
public:
    explicit OneHot(std::int64_t n, std::optional<std::vector<std::int64_t>> shape = std::nullopt,
                    ScalarType dtype = kBool, std::optional<Device> device = std::nullopt);
};

/// Several one-hot parts beside each other: the last dimension has sum(nvec) positions.
class MultiOneHot : public TensorSpec {
public:
    explicit MultiOneHot(std::vector<std::int64_t> nvec, std::optional<std::vector<std::int64_t>> shape = std::nullopt,
                         ScalarType dtype = kBool, std::optional<Device> device = std::nullopt);
};

} // namespace reel::rl
