// Hooks and annotations of a node, allocated only when used.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <reel/autograd/node.hpp>
#include <reel/autograd/value.hpp>

namespace reel::autograd {

struct NodeExtras {
    struct OutputHooks {
        std::uint32_t output_nr;
        std::shared_ptr<HookTable<TensorHookFn>> table;
    };
    struct Retained {
        std::uint32_t output_nr;
        TensorImpl* tensor; ///< weak: a dying tensor removes itself
    };
    std::vector<OutputHooks> tensor_hooks; ///< in the order in which outputs got their first hook (T-24.1)
    std::vector<Retained> retained;
    std::shared_ptr<HookTable<NodePreHook>> pre;
    std::shared_ptr<HookTable<NodePostHook>> post;
    ValueDict metadata;
    std::vector<const void*> frames; ///< of the forward op's call, innermost first (anomaly mode)
    std::string trace, module_path;  ///< `trace` is written when first asked for
    NodePtr parent;                  ///< the node being evaluated when this one was made (anomaly mode)
};

} // namespace reel::autograd
