#include "ops/index/index_kernels.hpp"

#include "ops/shape/shape_util.hpp"
#include "tensor/strided_geometry.hpp"

namespace reel {

using namespace detail;
using namespace shape;

namespace {

Dims without_stride(const Tensor& t, std::int64_t dim) {
    Dims strides(t.strides());
    strides[std::size_t(dim)] = 0;
    return strides;
}

} // namespace

namespace shape {

Tensor checked_index(const char* op, const Tensor& index, std::int64_t size, bool wrap) {
    if (index.numel() == 0) return empty_raw(index.sizes(), kLong, index.device());
    const Tensor as_long = index_as_long(op, index);
    bool negative = false;
    kernels::check_index(op, as_long, size, wrap, negative);
    if (!negative) return as_long;
    const Tensor out = empty_raw(as_long.sizes(), kLong, as_long.device());
    assign_raw(out, as_long);
    kernels::wrap_index(op, out, size);
    return out;
}

Tensor at_least_1d_raw(const Tensor& t) { return t.dim() == 0 ? alias_raw(t, {1}, {1}, t.storage_offset()) : t; }

Tensor gather_raw(const Tensor& self, std::int64_t dim, const Tensor& index) {
    const Tensor out = empty_raw(index.sizes(), self);
    if (out.numel() == 0) return out;
    const bool most = 2 * index.numel() >= self.numel();
    const Tensor s = at_least_1d_raw(most ? by_rows_raw(self) : self), i = at_least_1d_raw(index),
                 o = at_least_1d_raw(out);
    const std::int64_t step = s.strides()[std::size_t(dim)];
    kernels::gather(o, alias_raw(s, i.sizes(), without_stride(s, dim), s.storage_offset()), i, step);
    return out;
}

void scatter_raw(ScatterMode mode, const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src) {
    if (index.numel() == 0) return;
    const Tensor s = at_least_1d_raw(self), i = at_least_1d_raw(index), x = at_least_1d_raw(src);
    const std::int64_t step = s.strides()[std::size_t(dim)];
    kernels::scatter(mode, alias_raw(s, i.sizes(), without_stride(s, dim), s.storage_offset()), i,
                     alias_raw(x, i.sizes(), x.strides(), x.storage_offset()), step, !Geometry::of(s).overlaps());
}

Tensor expand_index(const Tensor& index, IntArrayRef sizes, std::int64_t dim) {
    Dims strides(sizes.size(), 0);
    if (!sizes.empty()) strides[std::size_t(dim)] = index.dim() == 0 ? 1 : index.strides()[0];
    return alias_raw(index, sizes, strides, index.storage_offset());
}

} // namespace shape
} // namespace reel
