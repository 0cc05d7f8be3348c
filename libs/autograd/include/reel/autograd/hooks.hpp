// Hooks beyond single tensors and nodes: several gradients at once, node creation, the end of a pass.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include <reel/autograd/backward.hpp>

namespace reel::autograd {

/// Mode `"all"`: `fn` gets one list per pass, once the last participating gradient is known; absent ones are undefined
/// (T-30). Mode `"any"`: the list holds the first gradient of the pass alone (T-31). Throws ValueError for another mode
/// (T-29); in mode `"all"` Error for a tensor that does not require grad.
RemovableHandle register_multi_grad_hook(const variable_list& tensors, std::function<void(const variable_list&)> fn,
                                         std::string_view mode = "all");
/// Mode `"any"`: `fn` gets the first gradient of each pass (T-31).
RemovableHandle register_multi_grad_hook_any(const variable_list& tensors, std::function<void(const Tensor&)> fn);

/// `Tensor::register_post_accumulate_grad_hook` for hooks with a result: undefined, or the leaf itself (T-16).
RemovableHandle register_post_accumulate_grad_hook_returning(const Tensor& leaf,
                                                             std::function<Tensor(const Tensor&)> fn);

/// Inside of a pass: runs `fn` in it as soon as it has accumulated into all of `leaves`, at once when there is nothing
/// that it (still) will accumulate into. Left out when the pass throws before. Throws Error outside of a pass.
void after_accumulation(const variable_list& leaves, std::function<void()> fn);

/// Calls `fn` for every node made in the scope, after its edges and saved tensors are set (T-36).
class NodeCreationHookGuard {
public:
    explicit NodeCreationHookGuard(std::function<void(Node&)> fn);
    ~NodeCreationHookGuard();
    NodeCreationHookGuard(const NodeCreationHookGuard&) = delete;
};

/// For code that makes nodes by hand: shows a finished node to node-creation hooks, anomaly mode and path recording.
void announce_node(Node& node);

namespace impl {
/// Is `node` part of the pass running on this thread, and on a path to what that wants?
bool runs_in_this_pass(Node& node);
/// Runs `fn`, which must not throw, when the pass running on this thread is over, also after a failure.
void at_end_of_pass(std::function<void()> fn);
} // namespace impl

} // namespace reel::autograd
