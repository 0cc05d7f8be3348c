// Bits.
#pragma once

#include <reel/rl/specs/tensor_spec.hpp>

namespace reel::rl {

/// The last dimension has `n` elements that are 0 or 1 each (the shape's own last size when no `n` is given).
/// ValueError for n < 1 or a shape that does not end with n.
class Binary : public TensorSpec {
public:
    explicit Binary(std::optional<std::int64_t> n = std::nullopt,
                    std::optional<std::vector<std::int64_t>> shape = std::nullopt, ScalarType dtype = kChar,
                    std::optional<Device> device = std::nullopt);
};

} // namespace reel::rl
