// The usual collation.
#pragma once

#include <reel/data/transforms/collate.hpp>

namespace reel::data::transforms {

/// Makes one example of a batch: its tensors are those of the examples, stacked along a new first dim. Other kinds of
/// examples take a specialization, or `Collate`. Errors: those of `reel::stack` (shapes that differ).
template <class T = Example<>> struct Stack;

/// Stacks data and targets.
template <> struct Stack<Example<>> : public Collation<Example<>> {
    Example<> apply_batch(std::vector<Example<>> examples) override;
};
/// Stacks data.
template <> struct Stack<TensorExample> : public Collation<TensorExample> {
    TensorExample apply_batch(std::vector<TensorExample> examples) override;
};

} // namespace reel::data::transforms
