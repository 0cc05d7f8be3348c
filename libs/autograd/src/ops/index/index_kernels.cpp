#include "ops/index/index_kernels.hpp"

#include "cpu/walk.hpp"
#include "ops/shape/shape_util.hpp"

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
    if (!as_long.is_cpu()) return as_long;
    bool negative = false;
    cpu::walk(
        op, as_long.sizes(), {as_long},
        [&](char* const* data, const std::int64_t* s, std::int64_t n) {
            const char* p = data[0];
            for (std::int64_t k = 0; k < n; ++k, p += s[0]) {
                const std::int64_t i = *reinterpret_cast<const std::int64_t*>(p);
                REEL_CHECK_INDEX(i < size && i >= (wrap ? -size : 0), op, ": index ", i,
                                 " is out of range for a dimension of size ", size);
                negative |= i < 0;
            }
        },
        cpu::kSerial);
    if (!negative) return as_long;
    const Tensor out = empty_raw(as_long.sizes(), kLong, as_long.device());
    assign_raw(out, as_long);
    std::int64_t* p = host_data<std::int64_t>(out, op);
    for (std::int64_t k = 0; k < out.numel(); ++k)
        if (p[k] < 0) p[k] += size;
    return out;
}

Tensor at_least_1d_raw(const Tensor& t) { return t.dim() == 0 ? alias_raw(t, {1}, {1}, t.storage_offset()) : t; }

Tensor gather_raw(const Tensor& self, std::int64_t dim, const Tensor& index) {
    const Tensor out = empty_raw(index.sizes(), self);
    if (out.numel() == 0) return out;
    const Tensor s = at_least_1d_raw(self), i = at_least_1d_raw(index), o = at_least_1d_raw(out);
    const std::int64_t step = s.strides()[std::size_t(dim)];
    kernels::gather(o, alias_raw(s, i.sizes(), without_stride(s, dim), s.storage_offset()), i, step);
    return out;
}

void scatter_raw(ScatterMode mode, const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src) {
    if (index.numel() == 0) return;
    const Tensor s = at_least_1d_raw(self), i = at_least_1d_raw(index), x = at_least_1d_raw(src);
    const std::int64_t step = s.strides()[std::size_t(dim)];
    kernels::scatter(mode, alias_raw(s, i.sizes(), without_stride(s, dim), s.storage_offset()), i,
                     alias_raw(x, i.sizes(), x.strides(), x.storage_offset()), step);
}

Tensor expand_index(const Tensor& index, IntArrayRef sizes, std::int64_t dim) {
    Dims strides(sizes.size(), 0);
    if (!sizes.empty()) strides[std::size_t(dim)] = index.dim() == 0 ? 1 : index.strides()[0];
    return alias_raw(index, sizes, strides, index.storage_offset());
}

} // namespace shape
} // namespace reel
