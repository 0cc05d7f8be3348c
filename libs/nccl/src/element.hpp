// A dtype as NCCL sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <reel/autograd/dtype.hpp>
#include <reel/distributed/types.hpp>

#include "functions.hpp"

namespace reel::nccl {

/// What an element of a tensor is reduced as: complex numbers are two, bools are bytes of 0 and 1.
struct Element {
    ScalarType dtype;
    Type type = Type::kInt8;
    std::size_t parts = 1; ///< 0: NCCL has no such type

    static Element of(ScalarType dtype);
    /// How many numbers `numel` elements are.
    std::size_t count(std::int64_t numel) const { return std::size_t(numel) * parts; }
    /// Nothing where NCCL has no such reduction.
    std::optional<Reduction> reduction(distributed::ReduceOp op) const;
};

} // namespace reel::nccl
