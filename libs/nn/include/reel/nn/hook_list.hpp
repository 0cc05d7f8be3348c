// Which hooks there are on a module.
#pragma once

#include <vector>

#include <reel/autograd/observe.hpp>
#include <reel/nn/fwd.hpp>

namespace reel::nn::hooks {

/// The hooks around the call of `m` itself, kind by kind in the order of registration.
std::vector<autograd::HookRef> registered_on(const Module& m);
/// Those of all modules.
std::vector<autograd::HookRef> registered_globally();

} // namespace reel::nn::hooks
