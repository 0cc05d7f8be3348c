// The outputs of a node whose tensors keep their gradients.
#pragma once

#include <algorithm>
#include <cstdint>

#include <reel/autograd/tensor_impl.hpp>

namespace reel::autograd {

/// Weak: a dying tensor takes itself out (T-12). A node may have a hundred thousand of them, which go one by one: they
/// are found by the number of the output, and the list closes its gaps when they are half of it. A template for the
/// tests, which count what is done with numbers.
template <class Number, class T> class RetainedList {
public:
    void insert(Number output_nr, T* tensor) {
        if (entries_.empty() || !(output_nr < entries_.back().output_nr))
            return entries_.push_back({output_nr, tensor});
        Entry* const behind = std::upper_bound(entries_.begin(), entries_.end(), output_nr,
                                               [](const Number& nr, const Entry& e) { return nr < e.output_nr; });
        entries_.insert(behind, {output_nr, tensor});
    }
    void erase(Number output_nr, const T* tensor) {
        Entry* at = std::lower_bound(entries_.begin(), entries_.end(), output_nr,
                                     [](const Entry& e, const Number& nr) { return e.output_nr < nr; });
        for (; at != entries_.end() && at->output_nr == output_nr; ++at) // two tensors can be one output
            if (at->tensor == tensor) {
                at->tensor = nullptr;
                ++gaps_;
                break;
            }
        if (2 * gaps_ >= entries_.size()) close_gaps();
    }
    std::size_t size() const { return entries_.size() - gaps_; }
    /// Calls `fn(output_nr, tensor)`, by output.
    template <class Fn> void each(Fn fn) const {
        for (const Entry& e : entries_)
            if (e.tensor) fn(e.output_nr, *e.tensor);
    }

private:
    struct Entry {
        Number output_nr;
        T* tensor; ///< null for a gap
    };
    void close_gaps() {
        Entry* const end = std::remove_if(entries_.begin(), entries_.end(), [](const Entry& e) { return !e.tensor; });
        while (entries_.end() != end) entries_.pop_back();
        gaps_ = 0;
    }
    SmallVector<Entry, 1> entries_; ///< by output
    std::size_t gaps_ = 0;
};
using RetainedOutputs = RetainedList<std::uint32_t, TensorImpl>;

} // namespace reel::autograd
