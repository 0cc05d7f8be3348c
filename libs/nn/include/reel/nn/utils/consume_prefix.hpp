// State dicts of wrapped models, for the model itself.
#pragma once

#include <string>

#include <reel/nn/state_dict.hpp>

namespace reel::nn::utils {

/// Takes `prefix` (such as "module.", of a wrapper) off the keys of `state_dict` that begin with it, and off the paths
/// of its metadata. What is renamed comes last, in its order. Nothing where no key has the prefix.
void consume_prefix_in_state_dict_if_present(StateDict& state_dict, const std::string& prefix);

} // namespace reel::nn::utils
