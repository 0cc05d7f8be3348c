// Which hooks fired, in which order, and why the others did not.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <reel/autograd/observe.hpp>
#include <reel/inspect/recorder.hpp>

namespace reel::inspect {

/// One line of a HookLog.
struct HookLogEntry {
    enum class What { Registered, Removed, Fired, NotFired };
    What what;
    autograd::HookKind kind;
    std::uint64_t id;                ///< as in RemovableHandle::id
    std::string owner;               ///< module path, parameter name, or node; "all modules" for global hooks
    std::vector<std::string> shapes; ///< of what a fired hook saw: `float32[2, 3]`
    std::vector<double> norms;
    double at_us = 0, took_us = 0; ///< since the recorder was opened; NaN-free, 0 where it means nothing
    std::int64_t pass = -1;        ///< backward pass, -1: in forward
    bool replaced = false;         ///< it returned another value
    bool called = true;            ///< false in a dry run
    std::string reason;            ///< NotFired: why
    std::string place;             ///< Registered, Removed: where in the program
};
/// Registrations, removals and firings in order; then every hook that did not fire.
struct HookLog {
    std::vector<HookLogEntry> entries;
    /// How often hook `id` fired.
    std::size_t fired(std::uint64_t id) const;
    /// Why hook `id` did not fire; empty when it did, or is not known.
    std::string why_not(std::uint64_t id) const;
    std::string text() const;
    std::string json() const;
};
std::ostream& operator<<(std::ostream& os, const HookLog& log);

/// The hooks that `recorder` saw, and those on its model's modules, parameters and recorded nodes that did not fire.
HookLog hook_log(const Recorder& recorder);

namespace hooks {

/// What a dry run may do.
struct DryRunOptions {
    bool call_hooks = false; ///< true: hooks really run, with all their side effects
    bool backward = true;    ///< also backward, from the sum of the outputs that require grad
};
/// Runs `model` on `input` forward and backward and tells which hooks fire in which order, without calling them.
/// Gradients, buffers, random numbers and tape are as before afterwards (parameters too, unless hooks are called that
/// change them). Errors: whatever forward throws; TypeError when the result holds no tensor.
HookLog dry_run(nn::Module& model, const Tensor& input, const DryRunOptions& options = {});
HookLog dry_run(nn::Module& model, const Args& inputs, const DryRunOptions& options = {});

} // namespace hooks

} // namespace reel::inspect
