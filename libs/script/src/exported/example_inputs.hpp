// `data/sample_inputs/model.pt` of an exported program: the inputs that it was exported with.
#pragma once

#include <string>

#include <reel/autograd/value.hpp>

namespace reel::jit {

/// A file of `torch.save` that holds the pair of arguments and keywords.
std::string example_inputs(const Args& args, const Kwargs& kwargs);

} // namespace reel::jit
