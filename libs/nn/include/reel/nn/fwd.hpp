// Forward declarations of the public types of reel_nn.
#pragma once

#include <memory>

#include <reel/autograd/value.hpp>

namespace reel::nn {

class Module;
using ModulePtr = std::shared_ptr<Module>;
class AnyValue; // any_value.hpp
/// Positional arguments of a module call.
using ModuleArgs = Args;
using autograd::variable_list;

} // namespace reel::nn
