// Shapes that meet.
#include "tensor/broadcast.hpp"

#include <algorithm>

#include "tensor/raw.hpp"

namespace reel::detail {

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

} // namespace reel::detail
