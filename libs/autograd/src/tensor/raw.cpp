// Making tensors without recording.
#include "tensor/raw.hpp"

#include <reel/autograd/kernels/copy.hpp>

#include "tensor/broadcast.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/sparse_parts.hpp"

namespace reel::detail {

namespace {
TensorImplPtr new_impl(StoragePtr storage, ScalarType dtype, Device device) {
    TensorImplPtr impl(new TensorImpl(std::move(storage), dtype, device));
    impl->is_inference = thread_modes.inference;
    return impl;
}
} // namespace

Tensor empty_raw(IntArrayRef sizes, ScalarType dtype, Device device) {
    check_sizes("empty", sizes, dtype);
    std::int64_t n = 1;
    for (const std::int64_t s : sizes) n *= s;
    StoragePtr storage = Storage::allocate(std::size_t(n) * elementSize(dtype), device);
    const Device actual = storage->device();
    TensorImplPtr impl = new_impl(std::move(storage), dtype, actual);
    impl->set_contiguous(sizes);
    return Tensor(std::move(impl));
}

Tensor empty_strided_raw(IntArrayRef sizes, IntArrayRef strides, ScalarType dtype, Device device) {
    const std::int64_t n = checked_extent("empty_strided", sizes, strides, 0, dtype);
    StoragePtr storage = Storage::allocate(std::size_t(n) * elementSize(dtype), device);
    const Device actual = storage->device();
    TensorImplPtr impl = new_impl(std::move(storage), dtype, actual);
    impl->set_geometry(sizes, strides, 0);
    return Tensor(std::move(impl));
}

Tensor tensor_on_storage(StoragePtr storage, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype) {
    const Device device = storage->device();
    TensorImplPtr impl = new_impl(std::move(storage), dtype, device);
    impl->set_geometry(sizes, strides, 0);
    return Tensor(std::move(impl));
}

Tensor empty_like_raw(const Tensor& like, ScalarType dtype) {
    if (like.is_contiguous() || !like.is_non_overlapping_and_dense())
        return empty_raw(like.sizes(), dtype, like.device());
    return empty_strided_raw(like.sizes(), like.strides(), dtype, like.device());
}

Tensor wrapped_number(const Scalar& value) {
    const ScalarType t = value.isFloatingPoint() ? get_default_dtype()
                         : value.isComplex()     ? toComplexType(get_default_dtype())
                                                 : value.type();
    // The value keeps double precision: promotion decides the dtype that is computed in.
    const ScalarType stored = value.isFloatingPoint() ? kDouble : value.isComplex() ? kComplexDouble : t;
    Tensor r = empty_raw({}, stored);
    fill_raw(r, value);
    r.impl()->is_wrapped_number = true;
    return r;
}

namespace {
TensorImplPtr impl_on_storage_of(const TensorImpl& from) {
    TensorImplPtr impl(new TensorImpl(from.storage(), from.dtype(), from.device()));
    impl->share_version(from);
    impl->is_inference = from.is_inference;
    return impl;
}
} // namespace

Tensor alias_raw(const Tensor& t) {
    const TensorImpl& from = t.checked();
    TensorImplPtr impl = impl_on_storage_of(from);
    if (from.layout() == Layout::Strided) [[likely]]
        impl->copy_geometry(from);
    else impl->set_sparse(from.sizes());
    return Tensor(std::move(impl));
}

Tensor alias_raw(const Tensor& t, IntArrayRef sizes, IntArrayRef strides, std::int64_t offset) {
    const TensorImpl& from = t.checked();
    TensorImplPtr impl = impl_on_storage_of(from);
    if (from.layout() == Layout::Strided) [[likely]]
        impl->set_geometry(sizes, strides, offset);
    else if (sizes.equals(from.sizes()) && strides.equals(from.strides()) && offset == from.storage_offset())
        impl->set_sparse(sizes);
    else throw_sparse(from);
    return Tensor(std::move(impl));
}

Tensor view_raw(const Tensor& base, IntArrayRef sizes, IntArrayRef strides, std::int64_t offset,
                CreationMeta creation) {
    if (base.is_sparse()) throw_sparse(*base.impl()); // its parts lie behind indices
    Tensor v = alias_raw(base, sizes, strides, offset);
    TensorImpl& from = *base.impl();
    if (!thread_modes.grad) // several outputs or one: nothing is recorded
        creation = thread_modes.inference ? CreationMeta::INFERENCE_MODE : CreationMeta::NO_GRAD_MODE;
    if (from.is_view()) creation = std::max(creation, from.creation_meta()); // E-46: the more restrictive one
    if (from.is_inference) return v;
    v.impl()->set_view(from.is_view() ? from.view_base() : base.impl(), creation);
    return v;
}

void copy_raw(const Tensor& dst, const Tensor& src, bool non_blocking) {
    if (dst.numel() == 0) return;
    if (dst.is_meta() || src.is_meta()) {
        REEL_CHECK_NOT_IMPLEMENTED(dst.is_meta(),
                                   "copy: cannot copy out of a meta tensor, it has no data; use to_empty() to get "
                                   "uninitialised memory on the target device");
        return;
    }
    kernels::copy.on(dst.is_cpu() ? src : dst, dst, src, non_blocking);
}

void fill_raw(const Tensor& dst, const Scalar& value) {
    if (dst.numel() > 0) kernels::fill(dst, value);
}

Tensor cast_raw(const Tensor& t, ScalarType dtype) {
    if (t.scalar_type() == dtype) return t;
    Tensor r = empty_like_raw(t, dtype);
    copy_raw(r, t);
    return r;
}
Tensor contiguous_raw(const Tensor& t) {
    if (t.is_contiguous()) return t;
    Tensor r = empty_raw(t.sizes(), t.scalar_type(), t.device());
    copy_raw(r, t);
    return r;
}
Tensor by_rows_raw(const Tensor& t) {
    constexpr std::int64_t large = 16384;
    const bool turned = t.is_cpu() && t.layout() == Layout::Strided && t.numel() >= large && !t.is_contiguous() &&
                        t.is_non_overlapping_and_dense() && t.strides().back() != 1;
    return turned ? contiguous_raw(t) : t;
}

namespace {
/// Dimensions below zero count from the back.
std::size_t from_front(const Tensor& t, std::int64_t dim) { return std::size_t(dim < 0 ? dim + t.dim() : dim); }
} // namespace

Tensor select_raw(const Tensor& t, std::int64_t dim, std::int64_t index) {
    const std::size_t d = from_front(t, dim);
    Dims sizes(t.sizes()), strides(t.strides());
    const std::int64_t offset = t.storage_offset() + index * strides[d];
    sizes.erase(sizes.begin() + d);
    strides.erase(strides.begin() + d);
    return alias_raw(t, sizes, strides, offset);
}

Tensor narrow_raw(const Tensor& t, std::int64_t dim, std::int64_t start, std::int64_t length) {
    const std::size_t d = from_front(t, dim);
    Dims sizes(t.sizes());
    sizes[d] = length;
    return alias_raw(t, sizes, t.strides(), t.storage_offset() + start * t.strides()[d]);
}

Tensor transpose_raw(const Tensor& t, std::int64_t a, std::int64_t b) {
    Dims sizes(t.sizes()), strides(t.strides());
    if (t.dim() > 0) {
        std::swap(sizes[from_front(t, a)], sizes[from_front(t, b)]);
        std::swap(strides[from_front(t, a)], strides[from_front(t, b)]);
    }
    return alias_raw(t, sizes, strides, t.storage_offset());
}

Tensor empty_raw(IntArrayRef sizes, const Tensor& like) { return empty_raw(sizes, like.scalar_type(), like.device()); }
Tensor zeros_raw(IntArrayRef sizes, const Tensor& like) {
    Tensor out = empty_raw(sizes, like);
    fill_raw(out, Scalar(0));
    return out;
}

void assign_raw(const Tensor& dst, const Tensor& src) { copy_raw(dst, expand_raw(src, dst.sizes())); }

} // namespace reel::detail
