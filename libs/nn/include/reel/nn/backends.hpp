// Devices by name, for modules that move to hardware which Reel itself does not know.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <reel/nn/fwd.hpp>

namespace reel::nn {

/// Moves a whole module to a backend.
using BackendMover = std::function<void(Module&)>;
/// Makes `module.to_backend(name)`, and `xpu()`, `ipu()` or `mtia()` by their names, work; replaces an older mover.
void register_backend(const std::string& name, BackendMover mover);
/// The names there are: "cpu", "cuda", "meta" and what was registered.
std::vector<std::string> backends();

} // namespace reel::nn
