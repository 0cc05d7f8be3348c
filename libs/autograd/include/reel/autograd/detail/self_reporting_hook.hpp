// Hooks that run other hooks.
#pragma once

#include <reel/autograd/node.hpp>

namespace reel::autograd::impl {

/// A node post-hook that is only the vehicle of others: it opens a HookFiring for each hook that it runs, so observers
/// hear of those and not of it, and a dry run does not leave it out.
struct SelfReportingHook {
    NodePostHook fn;
    std::optional<variable_list> operator()(const variable_list& grad_inputs, const variable_list& grad_outputs) const {
        return fn(grad_inputs, grad_outputs);
    }
};
inline bool reports_itself(const NodePostHook& hook) { return hook.target<SelfReportingHook>() != nullptr; }

} // namespace reel::autograd::impl
