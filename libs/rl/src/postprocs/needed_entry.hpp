// Entries that a post-processor cannot do without.
#pragma once

#include <reel/rl/tensordict.hpp>

namespace reel::rl {

/// The tensor under `key`. KeyError and TypeError begin with `name`, the one who needs it.
Tensor needed_entry(const char* name, const TensorDict& data, const NestedKey& key);

} // namespace reel::rl
