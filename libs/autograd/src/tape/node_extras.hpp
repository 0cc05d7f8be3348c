// Hooks and annotations of a node, allocated only when used; hooks without the annotations, which are as large.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <reel/autograd/memory.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/value.hpp>

#include "tape/retained_outputs.hpp"

namespace reel::autograd {

/// What few nodes have.
struct NodeNotes {
    ValueDict metadata;
    std::vector<const void*> frames; ///< of the forward op's call, innermost first (anomaly mode)
    std::string trace, module_path;  ///< `trace` is written when first asked for
    NodePtr parent;                  ///< the node being evaluated when this one was made (anomaly mode)
};

struct NodeExtras {
    static void* operator new(std::size_t n) { return cpu_alloc(n); }
    static void operator delete(void* p, std::size_t n) noexcept { cpu_free(p, n); }
    struct OutputHooks {
        std::uint32_t output_nr;
        std::shared_ptr<HookTable<TensorHookFn>> table; ///< null until the first hook is added
    };
    SmallVector<OutputHooks, 1> tensor_hooks; ///< in the order in which outputs got their first hook (T-24.1)
    /// The entry of `tensor_hooks` for that output, null when there is none.
    OutputHooks* hooks_of(std::uint32_t output_nr) {
        if (output_nr >= place_by_output_.size() || !place_by_output_[output_nr]) return nullptr;
        return &tensor_hooks[place_by_output_[output_nr] - 1];
    }
    OutputHooks& ensure_hooks_of(std::uint32_t output_nr) {
        if (OutputHooks* hooks = hooks_of(output_nr)) return *hooks;
        if (output_nr >= place_by_output_.size())
            place_by_output_.resize(std::max<std::size_t>(output_nr + 1, 2 * place_by_output_.size()));
        tensor_hooks.push_back({output_nr, nullptr});
        place_by_output_[output_nr] = std::uint32_t(tensor_hooks.size());
        return tensor_hooks.back();
    }
    RetainedOutputs retained;
    std::shared_ptr<HookTable<NodePreHook>> pre;
    std::shared_ptr<HookTable<NodePostHook>> post;
    std::uintptr_t stream = 0; ///< of the device, on which the op ran; 0 for the default one (tape/streams.hpp)
    std::unique_ptr<NodeNotes> notes;
    NodeNotes& ensure_notes() {
        if (!notes) notes = std::make_unique<NodeNotes>();
        return *notes;
    }

private:
    SmallVector<std::uint32_t, 4> place_by_output_; ///< in `tensor_hooks`, from 1; 0 for none
};

} // namespace reel::autograd
