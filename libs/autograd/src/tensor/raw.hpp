// Tensors without recording: fresh memory, aliases, parts, copies, wrapped numbers. Nothing here reaches the tape.
#pragma once

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor.hpp>

#include "tensor/broadcast.hpp"
#include "tensor/dims.hpp"

namespace reel::detail {

Tensor empty_raw(IntArrayRef sizes, ScalarType dtype, Device device = kCPU);
Tensor empty_strided_raw(IntArrayRef sizes, IntArrayRef strides, ScalarType dtype, Device device = kCPU);
/// A tensor at the start of `storage`, which must be large enough.
Tensor tensor_on_storage(StoragePtr storage, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype);
/// Fresh memory with the sizes of `like` and, when it is dense, its strides.
Tensor empty_like_raw(const Tensor& like, ScalarType dtype);
/// A 0-dim tensor that promotes like a plain number.
Tensor wrapped_number(const Scalar& value);
/// A new impl on the same storage and version counter; no history, not a view.
Tensor alias_raw(const Tensor& t, IntArrayRef sizes, IntArrayRef strides, std::int64_t offset);
Tensor alias_raw(const Tensor& t);
/// An alias that is a differentiable view of `base` (of its base when it is a view itself).
Tensor view_raw(const Tensor& base, IntArrayRef sizes, IntArrayRef strides, std::int64_t offset,
                CreationMeta creation = CreationMeta::DEFAULT);
/// Converts without recording; returns `t` itself when nothing changes.
Tensor cast_raw(const Tensor& t, ScalarType dtype);
/// A dense row-major version of `t` without recording; `t` itself when it is one.
Tensor contiguous_raw(const Tensor& t);
/// The same for a tensor on the CPU that is dense in another order and large: to turn it once takes a fraction of the
/// time of going through it element by element across its lines.
Tensor by_rows_raw(const Tensor& t);
/// dst[...] = src[...] with conversion, same shape, no recording, no version bump. `non_blocking`: see kernels::copy.
void copy_raw(const Tensor& dst, const Tensor& src, bool non_blocking = false);
void fill_raw(const Tensor& dst, const Scalar& value);

/// Aliases of parts: no view on the tape. Negative dimensions count from the back.
Tensor select_raw(const Tensor& t, std::int64_t dim, std::int64_t index);
Tensor narrow_raw(const Tensor& t, std::int64_t dim, std::int64_t start, std::int64_t length);
Tensor transpose_raw(const Tensor& t, std::int64_t a, std::int64_t b);
/// Row-major tensor without history, uninitialised / zero.
Tensor empty_raw(IntArrayRef sizes, const Tensor& like);
Tensor zeros_raw(IntArrayRef sizes, const Tensor& like);
/// `dst[...] = src[...]` over equal or broadcast shapes, any dtypes, nothing recorded.
void assign_raw(const Tensor& dst, const Tensor& src);

} // namespace reel::detail
