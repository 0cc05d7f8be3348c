// Sums into elements that may overlap: in order, by one thread for what may meet.
#include <reel/autograd/kernels/accumulate.hpp>

#include <algorithm>
#include <cstdlib>
#include <type_traits>

#include <reel/autograd/parallel.hpp>
#include <reel/autograd/pointwise/scalar_math.hpp>

#include "cpu/shape/row_updates.hpp"
#include "cpu/walk.hpp"
#include "op/dispatch.hpp"
#include "tensor/raw.hpp"

namespace reel::cpu {

namespace {

/// A dimension of which no two indices have an element in common; -1 when there is none.
std::int64_t dimension_apart(const Tensor& t) {
    double span = 0; // from the first element to the last; strides may be too long to be added up
    for (std::int64_t d = 0; d < t.dim(); ++d) span += double(t.size(d) - 1) * std::abs(double(t.stride(d)));
    for (std::int64_t d = 0; d < t.dim(); ++d) {
        const double step = std::abs(double(t.stride(d)));
        if (t.size(d) > 1 && step > span - double(t.size(d) - 1) * step) return d;
    }
    return -1;
}

template <class T> void add_stretch(char* const* data, const std::int64_t* strides, std::int64_t n) {
    constexpr std::int64_t size = sizeof(T);
    if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
        if (strides[0] == size && strides[1] == size)
            return row_updates<T>.add(reinterpret_cast<T*>(data[0]), reinterpret_cast<const T*>(data[1]), n);
    char *d = data[0], *s = data[1];
    for (std::int64_t i = 0; i < n; ++i, d += strides[0], s += strides[1]) {
        T& out = *reinterpret_cast<T*>(d);
        out = T(math::wrapping(out) + math::wrapping(*reinterpret_cast<const T*>(s)));
    }
}

} // namespace

void accumulate(const Tensor& dst, const Tensor& src) {
    if (dst.numel() == 0) return;
    const std::int64_t apart = dimension_apart(dst), parts = apart < 0 ? 1 : dst.size(apart);
    const std::int64_t grain = std::max<std::int64_t>(1, 32768 / (dst.numel() / parts));
    dispatch_all(dst.scalar_type(), "accumulate", [&]<class T>() {
        parallel_for(0, parts, grain, [&](std::int64_t begin, std::int64_t end) {
            const auto part = [&](const Tensor& t) {
                return apart < 0 ? t : detail::narrow_raw(t, apart, begin, end - begin);
            };
            const Tensor to = part(dst), from = part(src);
            walk("accumulate", to.sizes(), {to, from}, &add_stretch<T>, kSerial);
        });
    });
}

} // namespace reel::cpu
