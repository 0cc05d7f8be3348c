#include "ops/index/index_kernels.hpp"

#include <reel/autograd/pointwise/scalar_math.hpp>

#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>

#include "op/dispatch.hpp"
#include "ops/shape/shape_util.hpp"

namespace reel {

using namespace detail;
using namespace shape;

namespace {

void gather_cpu(const Tensor& out, const Tensor& self, const Tensor& index, std::int64_t step) {
    const std::int64_t bytes = step * self.element_size();
    dispatch_size(self.itemsize(), [&]<class T>() {
        walk(out.sizes(), {out, index, self}, [bytes](char* const* data, const std::int64_t* s, std::int64_t n) {
            char *o = data[0], *i = data[1], *x = data[2];
            if (s[1] == 0) { // one index for the whole stretch: a row
                x += *reinterpret_cast<const std::int64_t*>(i) * bytes;
                if (s[0] == sizeof(T) && s[2] == sizeof(T)) {
                    std::memcpy(o, x, std::size_t(n) * sizeof(T));
                    return;
                }
                for (std::int64_t k = 0; k < n; ++k, o += s[0], x += s[2]) std::memcpy(o, x, sizeof(T));
                return;
            }
            for (std::int64_t k = 0; k < n; ++k, o += s[0], i += s[1], x += s[2])
                std::memcpy(o, x + *reinterpret_cast<const std::int64_t*>(i) * bytes, sizeof(T));
        });
    });
}

template <class T> bool is_nan(const T& v) {
    if constexpr (std::is_floating_point_v<T>) return std::isnan(v);
    else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) return std::isnan(float(v));
    else return false;
}

template <ScatterMode mode, class T> T combine(const T& a, const T& b) {
    if constexpr (mode == ScatterMode::Assign) return b;
    else if constexpr (mode == ScatterMode::Add) return T(math::wrapping(a) + math::wrapping(b));
    else if constexpr (mode == ScatterMode::Multiply) return T(math::wrapping(a) * math::wrapping(b));
    else if constexpr (requires { a < b; }) {
        if (is_nan(a)) return a;
        if (is_nan(b)) return b;
        if constexpr (mode == ScatterMode::Maximum) return a < b ? b : a;
        else return b < a ? b : a;
    } else return a;
}

template <ScatterMode mode, class T>
void scatter_loop(const Tensor& self, const Tensor& index, const Tensor& src, std::int64_t bytes) {
    // One thread: where indices repeat, the order of the sources decides.
    walk(
        index.sizes(), {self, index, src},
        [bytes](char* const* data, const std::int64_t* s, std::int64_t n) {
            char *o = data[0], *i = data[1], *x = data[2];
            if (s[1] == 0 && s[0] == sizeof(T) && s[2] == sizeof(T)) {
                T* to = reinterpret_cast<T*>(o + *reinterpret_cast<const std::int64_t*>(i) * bytes);
                const T* from = reinterpret_cast<const T*>(x);
                for (std::int64_t k = 0; k < n; ++k) to[k] = combine<mode>(to[k], from[k]);
                return;
            }
            for (std::int64_t k = 0; k < n; ++k, o += s[0], i += s[1], x += s[2]) {
                T& to = *reinterpret_cast<T*>(o + *reinterpret_cast<const std::int64_t*>(i) * bytes);
                to = combine<mode>(to, *reinterpret_cast<const T*>(x));
            }
        },
        kSerial);
}

void scatter_cpu(ScatterMode mode, const Tensor& self, const Tensor& index, const Tensor& src, std::int64_t step) {
    const std::int64_t bytes = step * self.element_size();
    if (mode == ScatterMode::Assign) {
        dispatch_size(self.itemsize(),
                      [&]<class T>() { scatter_loop<ScatterMode::Assign, T>(self, index, src, bytes); });
        return;
    }
    dispatch_all(self.scalar_type(), "scatter", [&]<class T>() {
        switch (mode) {
        case ScatterMode::Add:
            return scatter_loop<ScatterMode::Add, T>(self, index, src, bytes);
        case ScatterMode::Multiply:
            return scatter_loop<ScatterMode::Multiply, T>(self, index, src, bytes);
        case ScatterMode::Maximum:
            return scatter_loop<ScatterMode::Maximum, T>(self, index, src, bytes);
        default:
            return scatter_loop<ScatterMode::Minimum, T>(self, index, src, bytes);
        }
    });
}

Dims without_stride(const Tensor& t, std::int64_t dim) {
    Dims strides(t.strides());
    strides[std::size_t(dim)] = 0;
    return strides;
}

} // namespace

KernelSlot<void(const Tensor&, const Tensor&, const Tensor&, std::int64_t)> index_gather_kernel{"index_gather",
                                                                                                gather_cpu};
KernelSlot<void(ScatterMode, const Tensor&, const Tensor&, const Tensor&, std::int64_t)> index_scatter_kernel{
    "index_scatter", scatter_cpu};

namespace shape {

Tensor checked_index(const char* op, const Tensor& index, std::int64_t size, bool wrap) {
    if (index.numel() == 0) return empty_raw(index.sizes(), kLong, index.device());
    const Tensor as_long = index_as_long(op, index);
    if (!as_long.is_cpu()) return as_long;
    bool negative = false;
    walk(
        as_long.sizes(), {as_long},
        [&](char* const* data, const std::int64_t* s, std::int64_t n) {
            const char* p = data[0];
            for (std::int64_t k = 0; k < n; ++k, p += s[0]) {
                const std::int64_t i = *reinterpret_cast<const std::int64_t*>(p);
                REEL_CHECK_INDEX(i < size && i >= (wrap ? -size : 0), op, ": index ", i,
                                 " is out of range for a dimension of size ", size);
                negative |= i < 0;
            }
        },
        kSerial);
    if (!negative) return as_long;
    const Tensor out = empty_raw(as_long.sizes(), kLong, as_long.device());
    assign_raw(out, as_long);
    std::int64_t* p = out.data_ptr<std::int64_t>();
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
    index_gather_kernel(self.device().type(), o, alias_raw(s, i.sizes(), without_stride(s, dim), s.storage_offset()), i,
                        step);
    return out;
}

void scatter_raw(ScatterMode mode, const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src) {
    if (index.numel() == 0) return;
    const Tensor s = at_least_1d_raw(self), i = at_least_1d_raw(index), x = at_least_1d_raw(src);
    const std::int64_t step = s.strides()[std::size_t(dim)];
    index_scatter_kernel(self.device().type(), mode,
                         alias_raw(s, i.sizes(), without_stride(s, dim), s.storage_offset()), i,
                         alias_raw(x, i.sizes(), x.strides(), x.storage_offset()), step);
}

Tensor expand_index(const Tensor& index, IntArrayRef sizes, std::int64_t dim) {
    Dims strides(sizes.size(), 0);
    if (!sizes.empty()) strides[std::size_t(dim)] = index.dim() == 0 ? 1 : index.strides()[0];
    return alias_raw(index, sizes, strides, index.storage_offset());
}

} // namespace shape
} // namespace reel
