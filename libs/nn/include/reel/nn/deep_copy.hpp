// Deep copies as handles of the same kind.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <reel/nn/module.hpp>

namespace reel::nn {

/// A new module like the one that `module`, a holder or a shared pointer, stands for: tensors of its own, on `device`
/// if one is given, with ties, flags and (unless told otherwise) hooks kept; `auto copy = nn::deep_copy(net);` has the
/// type of `net`. Errors: Error for a class that does not derive from Cloneable, and for tensors that are no leaves.
template <class H> H deep_copy(const H& module, std::optional<Device> device = std::nullopt, bool keep_hooks = true) {
    const Module& original = *module;
    ModulePtr copy = keep_hooks ? original.clone(device) : original.clone(device, false);
    using Class = std::remove_cvref_t<decltype(*module)>;
    return H(std::static_pointer_cast<Class>(std::move(copy)));
}

} // namespace reel::nn
