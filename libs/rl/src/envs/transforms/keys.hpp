// Names that transforms work on.
#pragma once

#include <string>
#include <vector>

#include <reel/rl/specs/composite.hpp>

namespace reel::rl::detail {

/// The "done" of each group of flags.
std::vector<NestedKey> done_keys(const Composite& done);
/// As many as inputs, which they are by default. ValueError.
std::vector<NestedKey> out_keys_for(const std::string& who, const std::vector<NestedKey>& in_keys,
                                    std::vector<NestedKey> out_keys);
/// ValueError for a nested key.
const NestedKey& plain_key(const std::string& who, const char* what, const NestedKey& key);
/// "truncated", and "done" if asked for, are set in the rows of `td` where `reached` is true.
void truncate(TensorDict& td, const NestedKey& done_key, const std::string& truncated_name, const Tensor& reached,
              bool update_done);

} // namespace reel::rl::detail
