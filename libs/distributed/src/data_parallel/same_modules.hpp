// Do the ranks wrap the same module?
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <reel/autograd/tensor.hpp>
#include <reel/distributed/process_group.hpp>

namespace reel::distributed::detail {

using NamedTensorList = std::vector<std::pair<std::string, Tensor>>;

/// Compares number, shapes, dtypes and flags of parameters and buffers over the ranks of the group. Error on all ranks
/// where they differ, in the name of `who`: with both counts, or the first tensor that is another one.
void check_same_modules(const char* who, const NamedTensorList& parameters, const NamedTensorList& buffers,
                        const ProcessGroup& group);
/// The member `from` of the group sends its tensors to all, those of a kind together.
void send_tensors(const std::vector<Tensor>& tensors, std::int64_t from, const ProcessGroup& group);

} // namespace reel::distributed::detail
