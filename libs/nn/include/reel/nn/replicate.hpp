// Replicas of a module for data parallelism.
#pragma once

#include <vector>

#include <reel/nn/module.hpp>

namespace reel::nn {

/// One replica per device: a deep copy whose parameters are copies on the tape, so that gradients flow back into the
/// parameters of `module`. They are attributes of the replica, not parameters (RP-1, RP-2): `parameters()` is empty and
/// `zero_grad` warns. Buffers are copied; hooks are shared. Needs modules with `clone`.
std::vector<ModulePtr> replicate(const Module& module, const std::vector<Device>& devices);

} // namespace reel::nn
