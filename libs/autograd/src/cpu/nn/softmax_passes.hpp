// Softmax of columns, and its gradient, per instruction set.
#pragma once

#include <cstdint>

namespace reel::cpu {

template <class T> struct SoftmaxPasses {
    std::int64_t strip; ///< columns that are handled together
    /// Columns [0, count) of [n, inner], at most `strip`.
    void (*columns)(const T* x, T* out, std::int64_t n, std::int64_t inner, std::int64_t count, bool logarithm);
    /// The gradient of columns [0, count); of one row where `inner` is one.
    void (*backward)(const T* grad, const T* out, T* to, std::int64_t n, std::int64_t inner, std::int64_t count,
                     bool logarithm);
};
template <class T> inline constinit SoftmaxPasses<T> softmax_passes{};

} // namespace reel::cpu
