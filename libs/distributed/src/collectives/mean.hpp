// Means of gradients, in one way over them.
#pragma once

#include <reel/distributed/process_group.hpp>
#include <reel/distributed/work.hpp>

namespace reel::distributed::detail {

/// Can `divide_and_add_async` take it? Real floating numbers on the host.
bool divides_on_the_way(const Tensor& tensor);
/// In place: all ranks' tensors divided by `divisor`, then added up. The bits of `div_` and `all_reduce`.
Work divide_and_add_async(const Tensor& tensor, std::int64_t divisor, const ProcessGroup& group);

} // namespace reel::distributed::detail
