// Making tensors without recording.
#include "tensor/make.hpp"

#include <reel/autograd/device_hooks.hpp>

#include "cpu/copy.hpp"
#include "tensor/checked_size.hpp"

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

Tensor alias_raw(const Tensor& t, IntArrayRef sizes, IntArrayRef strides, std::int64_t offset) {
    TensorImpl& from = t.checked();
    TensorImplPtr impl(new TensorImpl(from.storage(), from.dtype(), from.device()));
    impl->share_version(from);
    impl->set_geometry(sizes, strides, offset);
    impl->is_inference = from.is_inference;
    return Tensor(std::move(impl));
}

Tensor view_raw(const Tensor& base, IntArrayRef sizes, IntArrayRef strides, std::int64_t offset,
                CreationMeta creation) {
    Tensor v = alias_raw(base, sizes, strides, offset);
    TensorImpl& from = *base.impl();
    if (creation == CreationMeta::Default && !thread_modes.grad)
        creation = thread_modes.inference ? CreationMeta::Inference : CreationMeta::NoGrad;
    if (from.is_view()) creation = std::max(creation, from.creation_meta()); // E-46: the more restrictive one
    if (from.is_inference) return v;
    v.impl()->set_view(from.is_view() ? from.view_base() : base.impl(), creation);
    return v;
}

Dims contiguous_strides(IntArrayRef sizes) {
    Dims s(sizes.size());
    std::int64_t step = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        s[i] = step;
        step *= std::max<std::int64_t>(sizes[i], 1);
    }
    return s;
}

void copy_raw(const Tensor& dst, const Tensor& src) {
    if (dst.numel() == 0) return;
    if (dst.is_meta() || src.is_meta()) {
        REEL_CHECK_NOT_IMPLEMENTED(dst.is_meta(),
                                   "copy: cannot copy out of a meta tensor, it has no data; use to_empty() to get "
                                   "uninitialised memory on the target device");
        return;
    }
    if (!dst.is_cpu() || !src.is_cpu()) {
        const DeviceType d = dst.is_cpu() ? src.device().type() : dst.device().type();
        device_hooks(d).copy(dst, src, false);
        return;
    }
    cpu::copy_strided(int(dst.dim()), dst.sizes().data(), dst.data_ptr(), dst.strides().data(), dst.scalar_type(),
                      src.data_ptr(), src.strides().data(), src.scalar_type());
}

void fill_raw(const Tensor& dst, const Scalar& value) {
    if (dst.numel() == 0 || dst.is_meta()) return;
    alignas(16) unsigned char one[16];
    switch (dst.scalar_type()) {
#define REEL_CASE(T, Name)                                                                                             \
    case ScalarType::Name:                                                                                             \
        *reinterpret_cast<T*>(one) = value.to<T>();                                                                    \
        break;
        REEL_FORALL_SCALAR_TYPES(REEL_CASE)
#undef REEL_CASE
    default:
        break;
    }
    if (!dst.is_cpu()) {
        Tensor host = empty_raw({}, dst.scalar_type());
        std::memcpy(host.data_ptr(), one, elementSize(dst.scalar_type()));
        device_hooks(dst.device().type()).copy(dst, expand_raw(host, dst.sizes()), false);
        return;
    }
    const Dims zero(dst.sizes().size(), 0);
    cpu::copy_strided(int(dst.dim()), dst.sizes().data(), dst.data_ptr(), dst.strides().data(), dst.scalar_type(), one,
                      zero.data(), dst.scalar_type());
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

Dims broadcast_shapes(const char* op, IntArrayRef a, IntArrayRef b) {
    const std::size_t n = std::max(a.size(), b.size());
    Dims r(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t x = i < n - a.size() ? 1 : a[i - (n - a.size())];
        const std::int64_t y = i < n - b.size() ? 1 : b[i - (n - b.size())];
        REEL_CHECK(x == y || x == 1 || y == 1, op, ": shapes ", a, " and ", b, " do not broadcast: sizes ", x, " and ",
                   y, " at dimension ", i, " must be equal, or one of them 1");
        r[i] = x == 1 ? y : x;
    }
    return r;
}

Tensor expand_raw(const Tensor& t, IntArrayRef sizes) {
    if (t.sizes().equals(sizes)) return t;
    Dims strides(sizes.size());
    const std::size_t extra = sizes.size() - t.sizes().size();
    for (std::size_t i = extra; i < sizes.size(); ++i)
        strides[i] = t.sizes()[i - extra] == 1 && sizes[i] != 1 ? 0 : t.strides()[i - extra];
    return alias_raw(t, sizes, strides, t.storage_offset());
}

std::int64_t wrap_dim(const char* op, std::int64_t dim, std::int64_t rank) {
    const std::int64_t n = std::max<std::int64_t>(rank, 1);
    REEL_CHECK_INDEX(dim >= -n && dim < n, op, ": dimension ", dim, " is out of range, expected one in [", -n, ", ",
                     n - 1, "]");
    return dim < 0 ? dim + n : dim;
}
Dims wrap_dims(const char* op, IntArrayRef dims, std::int64_t rank) {
    Dims r;
    for (const std::int64_t d : dims) {
        const std::int64_t w = wrap_dim(op, d, rank);
        REEL_CHECK(std::find(r.begin(), r.end(), w) == r.end(), op, ": dimension ", w, " appears twice in ", dims);
        r.push_back(w);
    }
    return r;
}

} // namespace reel::detail
