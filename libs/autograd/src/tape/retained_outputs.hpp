// The outputs of a node whose tensors keep their gradients.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <reel/autograd/tensor_impl.hpp>

namespace reel::autograd {

/// Weak: a dying tensor takes itself out (T-12). A node may have a hundred thousand of them, which go one by one: they
/// are found by the number of the output, and the list closes its gaps when they are half of it.
class RetainedOutputs {
public:
    void insert(std::uint32_t output_nr, TensorImpl* tensor) {
        const auto behind = std::upper_bound(entries_.begin(), entries_.end(), output_nr,
                                             [](std::uint32_t nr, const Entry& e) { return nr < e.output_nr; });
        entries_.insert(behind, {output_nr, tensor}); // at the end, as a rule
    }
    void erase(std::uint32_t output_nr, const TensorImpl* tensor) {
        auto at = std::lower_bound(entries_.begin(), entries_.end(), output_nr,
                                   [](const Entry& e, std::uint32_t nr) { return e.output_nr < nr; });
        for (; at != entries_.end() && at->output_nr == output_nr; ++at) // two tensors can be one output
            if (at->tensor == tensor) {
                at->tensor = nullptr;
                ++gaps_;
                break;
            }
        if (2 * gaps_ < entries_.size()) return;
        std::erase_if(entries_, [](const Entry& e) { return !e.tensor; });
        gaps_ = 0;
    }
    std::size_t size() const { return entries_.size() - gaps_; }
    /// Calls `fn(output_nr, tensor)`, by output.
    template <class Fn> void each(Fn fn) const {
        for (const Entry& e : entries_)
            if (e.tensor) fn(e.output_nr, *e.tensor);
    }

private:
    struct Entry {
        std::uint32_t output_nr;
        TensorImpl* tensor; ///< null for a gap
    };
    std::vector<Entry> entries_; ///< by output
    std::size_t gaps_ = 0;
};

} // namespace reel::autograd
