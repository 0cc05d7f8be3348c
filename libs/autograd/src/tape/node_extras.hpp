// Hooks and annotations of a node, allocated only when used.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <reel/autograd/node.hpp>
#include <reel/autograd/value.hpp>

namespace reel::autograd {

struct NodeExtras {
    struct OutputHooks {
        std::uint32_t output_nr;
        std::shared_ptr<HookTable<TensorHookFn>> table; ///< null until the first hook is added
    };
    std::vector<OutputHooks> tensor_hooks; ///< in the order in which outputs got their first hook (T-24.1)
    /// The entry of `tensor_hooks` for that output, null when there is none.
    OutputHooks* hooks_of(std::uint32_t output_nr) {
        const auto at = place_by_output_.find(output_nr);
        return at == place_by_output_.end() ? nullptr : &tensor_hooks[at->second];
    }
    OutputHooks& ensure_hooks_of(std::uint32_t output_nr) {
        if (place_by_output_.try_emplace(output_nr, tensor_hooks.size()).second)
            tensor_hooks.push_back({output_nr, nullptr});
        return *hooks_of(output_nr);
    }
    /// Tensors that keep the gradient of an output, by output. Weak: a dying tensor removes itself.
    std::multimap<std::uint32_t, TensorImpl*> retained;
    std::shared_ptr<HookTable<NodePreHook>> pre;
    std::shared_ptr<HookTable<NodePostHook>> post;
    ValueDict metadata;
    std::vector<const void*> frames; ///< of the forward op's call, innermost first (anomaly mode)
    std::string trace, module_path;  ///< `trace` is written when first asked for
    NodePtr parent;                  ///< the node being evaluated when this one was made (anomaly mode)

private:
    std::unordered_map<std::uint32_t, std::size_t> place_by_output_; ///< in `tensor_hooks`
};

} // namespace reel::autograd
