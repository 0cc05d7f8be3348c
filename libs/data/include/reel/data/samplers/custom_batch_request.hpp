// Requests of one's own kind.
#pragma once

#include <cstddef>

namespace reel::data::samplers {

/// Base of what a sampler may hand out in place of a list of indices.
struct CustomBatchRequest {
    virtual ~CustomBatchRequest() = default;
    /// How many elements are asked for.
    virtual std::size_t size() const = 0;
};

} // namespace reel::data::samplers
