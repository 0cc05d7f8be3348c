// What ops on shapes share: inferring sizes, aliases of parts, gradients of the basic views.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <utility>

#include <reel/autograd/op.hpp>
#include <reel/autograd/record.hpp>

#include "cpu/strided.hpp"
#include "tensor/raw.hpp"

namespace reel::shape {

std::int64_t count(IntArrayRef sizes);
/// `sizes` with its one -1 replaced so that `numel` elements fit. Throws naming the op and both shapes.
Dims infer_size(const char* op, IntArrayRef sizes, std::int64_t numel);
/// Strides that show the same elements under `sizes`, absent when that needs a copy.
std::optional<Dims> view_strides(IntArrayRef old_sizes, IntArrayRef old_strides, IntArrayRef sizes);
/// `out`, which shows `input` under other sizes, on the tape in the name of `op`.
Tensor recorded_view(const char* op, const Tensor& input, const Tensor& out);
/// Throws TypeError unless `index` is int32 or int64; returns it as int64.
Tensor index_as_long(const char* op, const Tensor& index, const char* argument = "index");

/// Gradients of the basic views; each is linear and differentiable itself.
Tensor select_backward(const Tensor& grad, IntArrayRef sizes, std::int64_t dim, std::int64_t index);
Tensor slice_backward(const Tensor& grad, IntArrayRef sizes, std::int64_t dim, std::int64_t start, std::int64_t end,
                      std::int64_t step);
Tensor diagonal_backward(const Tensor& grad, IntArrayRef sizes, std::int64_t offset, std::int64_t dim1,
                         std::int64_t dim2);

} // namespace reel::shape
