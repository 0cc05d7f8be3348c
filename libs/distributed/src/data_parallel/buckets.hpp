// Buckets: gradients that travel together, in one buffer.
#pragma once

#include <cstddef>
#include <vector>

#include <reel/autograd/tensor.hpp>
#include <reel/distributed/comm_hooks.hpp>

namespace reel::distributed::detail {

/// The parameters of `order` (indices into `parameters`) in groups of one dtype and device each. A group is closed when
/// it has reached its limit in bytes: `first_limit` for the first of its kind, `limit` for the others. Groups come in
/// the order in which they are closed, those that stay open last.
std::vector<std::vector<std::size_t>> assign_buckets(const std::vector<Tensor>& parameters,
                                                     const std::vector<std::size_t>& order, std::size_t first_limit,
                                                     std::size_t limit);

/// The buffer of one group, and where each gradient is in it.
struct Bucket {
    Bucket(const std::vector<Tensor>& parameters, std::vector<std::size_t> of);
    std::vector<std::size_t> members; ///< indices of parameters
    Tensor buffer;
    std::vector<Tensor> slots; ///< views of the buffer, shaped as the parameters
    std::size_t to_come = 0;   ///< of this pass
    bool launched = false;     ///< in this pass
    BucketFuture reduced;      ///< since it was launched
    /// Do the parameters still look as they did?
    bool fits(const std::vector<Tensor>& parameters) const;
};

} // namespace reel::distributed::detail
