// Pack and unpack hooks for what the tape saves (rules E-53 to E-56, E-80).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

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
/// The pair that is in force on this thread, for pairs that pass on to it; two empty functions outside of every scope.
std::pair<PackHook, UnpackHook> current_saved_tensors_hooks();
/// Entering a pair in this scope throws Error with `message`.
class DisableSavedTensorsHooksGuard {
public:
    explicit DisableSavedTensorsHooksGuard(std::string message);
    ~DisableSavedTensorsHooksGuard();
    DisableSavedTensorsHooksGuard(const DisableSavedTensorsHooksGuard&) = delete;
};
struct KeptForMutation; // src/tape/allow_mutation.hpp

/// In this scope saved tensors may be modified in place: what was saved is cloned before the write, so that backward
/// uses the old values. Backward must run inside of the same scope; scopes do not nest (E-80).
class AllowMutationOnSavedTensorsGuard {
public:
    AllowMutationOnSavedTensorsGuard();
    ~AllowMutationOnSavedTensorsGuard();
    AllowMutationOnSavedTensorsGuard(const AllowMutationOnSavedTensorsGuard&) = delete;

private:
    std::shared_ptr<KeptForMutation> kept_;
    std::unique_ptr<SavedTensorsHooksGuard> hooks_;
};
/// Bumps a tensor's version by hand, so that backward over an earlier saving is refused.
void increment_version(const Tensor& t);

} // namespace reel::autograd
