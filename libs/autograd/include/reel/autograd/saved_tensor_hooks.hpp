// Pack and unpack hooks for what the tape saves (rules E-53 to E-56, E-80).
#pragma once

#include <functional>
#include <string>

#include <reel/autograd/value.hpp>

namespace reel::autograd {

using PackHook = std::function<Value(const Tensor&)>;
using UnpackHook = std::function<Tensor(const Value&)>;

/// Every tensor saved in the scope goes through `pack` once and through `unpack` at every use. Inner pairs replace
/// outer ones.
class SavedTensorsHooksGuard {
public:
    SavedTensorsHooksGuard(PackHook pack, UnpackHook unpack);
    ~SavedTensorsHooksGuard();
    SavedTensorsHooksGuard(const SavedTensorsHooksGuard&) = delete;
};
/// Entering a pair in this scope throws Error with `message`.
class DisableSavedTensorsHooksGuard {
public:
    explicit DisableSavedTensorsHooksGuard(std::string message);
    ~DisableSavedTensorsHooksGuard();
    DisableSavedTensorsHooksGuard(const DisableSavedTensorsHooksGuard&) = delete;
};
/// Bumps a tensor's version by hand, so that backward over an earlier saving is refused.
void increment_version(const Tensor& t);

} // namespace reel::autograd
