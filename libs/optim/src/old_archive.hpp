// Archives of optimizers as libtorch wrote them before 1.5: lists of states, and no parameter groups.
#pragma once

#include <functional>

#include <reel/autograd/archive.hpp>
#include <reel/optim/optimizer.hpp>

namespace reel::optim::detail {

/// Does the archive have such lists, and nothing newer?
bool is_old_archive(const serialize::InputArchive& archive);

/// The states of `params`, in their order; those that the lists are too short for have none. ValueError for lists that
/// are longer, and for a tensor of another shape than its parameter.
Optimizer::StateMap old_states(const serialize::InputArchive& archive, const std::vector<Tensor>& params,
                               const std::function<std::unique_ptr<OptimizerParamState>()>& make_state);

} // namespace reel::optim::detail
