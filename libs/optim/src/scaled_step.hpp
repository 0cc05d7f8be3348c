// A step that its device takes, or not, by what it finds in the gradients: what the host counted may have to be undone.
#pragma once

#include <functional>
#include <unordered_set>
#include <vector>

#include <reel/optim/optimizer.hpp>

#include "field_values.hpp"

namespace reel::optim::detail {

/// The states before a step that may turn out not to have happened.
class UnsettledStep {
public:
    UnsettledStep(Optimizer::StateMap& states, Device device);
    Device device; ///< that knows
    /// Who says whether it was left out; waits for that.
    std::function<bool()> skipped;
    /// States are as before the step; those that it made are gone.
    void undo(Optimizer::StateMap& states);

private:
    std::vector<FieldValues> before_;
    std::unordered_set<void*> known_;
};

/// Sends the number to the host meanwhile; who calls the result waits for that alone.
std::function<bool()> is_not_zero_later(const Tensor& number);

} // namespace reel::optim::detail
