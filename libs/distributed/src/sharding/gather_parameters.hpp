// Whole parameters as a function of the ranks' rows, on the tape.
#pragma once

#include <memory>
#include <vector>

#include <reel/autograd/tensor.hpp>

namespace reel::distributed {

class Unit;

/// `whole`, gathered before, with those parameters on the tape that require grad: their gradients are scattered.
std::vector<Tensor> with_history(const std::shared_ptr<Unit>& unit, const std::vector<Tensor>& whole);

} // namespace reel::distributed
