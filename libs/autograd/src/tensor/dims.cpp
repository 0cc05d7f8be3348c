// Counting dimensions and strides.
#include "tensor/dims.hpp"

#include <algorithm>

#include <reel/autograd/error.hpp>

namespace reel::detail {

Dims contiguous_strides(IntArrayRef sizes) {
    Dims s(sizes.size());
    std::int64_t step = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        s[i] = step;
        step *= std::max<std::int64_t>(sizes[i], 1);
    }
    return s;
}

Dims strides_of(IntArrayRef sizes, MemoryFormat format) {
    const auto ordered = [&](std::initializer_list<int> order) {
        Dims s(sizes.size());
        std::int64_t step = 1;
        for (auto it = std::rbegin(order); it != std::rend(order); ++it) {
            s[std::size_t(*it)] = step;
            step *= std::max<std::int64_t>(sizes[std::size_t(*it)], 1);
        }
        return s;
    };
    if (format == MemoryFormat::ChannelsLast) {
        REEL_CHECK(sizes.size() == 4, "channels_last needs a 4-D tensor, got ", sizes);
        return ordered({0, 2, 3, 1});
    }
    if (format == MemoryFormat::ChannelsLast3d) {
        REEL_CHECK(sizes.size() == 5, "channels_last_3d needs a 5-D tensor, got ", sizes);
        return ordered({0, 2, 3, 4, 1});
    }
    return contiguous_strides(sizes);
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
