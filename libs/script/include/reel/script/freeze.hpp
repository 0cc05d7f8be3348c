// A script module for inference alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <reel/script/module.hpp>

namespace reel::jit {

/// A deep copy whose parameters and buffers require no grad, so that calls record nothing; training the original or
/// changing its attributes leaves it as it is. Attributes stay where they are, by name: the interpreter gains nothing
/// from turning them into constants. So every method and attribute is preserved, and numerics are the original's bits.
/// ValueError for a module in training mode.
Module freeze(const Module& module, const std::optional<std::vector<std::string>>& preserved_attrs = std::nullopt,
              bool optimize_numerics = true);
/// The same: the kernels of inference are those of training.
Module optimize_for_inference(const Module& module, const std::vector<std::string>& other_methods = {});

/// Remembered for programs that set it; there is one way to run a graph.
void setGraphExecutorOptimize(bool on);
bool getGraphExecutorOptimize();

} // namespace reel::jit
