// Regions of programs in which torch.func.vmap was at work: each slice of a batch goes through them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <reel/script/object.hpp>

namespace reel::jit {

/// What a node does for the region that it stands in.
enum class BatchStep : std::uint8_t {
    None,    ///< it is an operator
    Begin,   ///< of a region: the number of slices
    End,     ///< of the innermost region
    Take,    ///< a slice of a tensor, along a dimension
    Join,    ///< the slices that a value had, along a new dimension
    Nothing, ///< the reference's own business
};
/// Of `torch._functorch.predispatch._add_batch_dim`.
BatchStep batch_step(const std::string& target);

/// The innermost region of a run, while one slice goes through it.
struct Batch {
    std::int64_t size = 0, slice = 0;
    struct Result {
        std::vector<Tensor> slices;
        std::int64_t dim = 0; ///< new
    };
    std::map<std::size_t, Result> results; ///< by slot

    Tensor take(const std::vector<IValue>& inputs) const;
    void join(std::size_t slot, const std::vector<IValue>& inputs);
    Tensor joined(const Result& result) const;
};

} // namespace reel::jit
