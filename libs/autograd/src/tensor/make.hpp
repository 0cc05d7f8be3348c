// Making tensors without recording: fresh memory, aliases, views, wrapped numbers.
#pragma once

#include <optional>
#include <reel/autograd/grad_mode.hpp>

#include <reel/autograd/tensor.hpp>

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
inline Tensor alias_raw(const Tensor& t) { return alias_raw(t, t.sizes(), t.strides(), t.storage_offset()); }
/// An alias that is a differentiable view of `base` (of its base when it is a view itself).
Tensor view_raw(const Tensor& base, IntArrayRef sizes, IntArrayRef strides, std::int64_t offset,
                CreationMeta creation = CreationMeta::Default);
/// Converts without recording; returns `t` itself when nothing changes.
Tensor cast_raw(const Tensor& t, ScalarType dtype);
/// A dense row-major version of `t` without recording; `t` itself when it is one.
Tensor contiguous_raw(const Tensor& t);
/// `to` with everything decided: returns `t` itself when nothing changes and no copy is asked for. Differentiable.
Tensor convert(const Tensor& t, ScalarType dtype, Device device, bool copy, std::optional<MemoryFormat> format);
/// dst[...] = src[...] with conversion, same shape, no recording, no version bump.
void copy_raw(const Tensor& dst, const Tensor& src);
void fill_raw(const Tensor& dst, const Scalar& value);
Dims contiguous_strides(IntArrayRef sizes);
/// Strides of a dense tensor in `format`; Preserve gives row-major ones. Throws Error where the rank does not fit.
Dims strides_of(IntArrayRef sizes, MemoryFormat format);
/// Sizes that two shapes broadcast to; throws Error naming `op` and both shapes.
Dims broadcast_shapes(const char* op, IntArrayRef a, IntArrayRef b);
/// The alias of `t` with `sizes`, broadcast dims having stride 0. `sizes` must be compatible.
Tensor expand_raw(const Tensor& t, IntArrayRef sizes);
/// `dim` in [0, rank); throws IndexError naming `op` and the range. Rank 0 counts as 1.
std::int64_t wrap_dim(const char* op, std::int64_t dim, std::int64_t rank);
Dims wrap_dims(const char* op, IntArrayRef dims, std::int64_t rank);

} // namespace reel::detail
