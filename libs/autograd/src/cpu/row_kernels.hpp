// What reductions do with one dense row, by the kernels of the instruction set.
#pragma once

#include <cstdint>

#include <reel/autograd/half.hpp>

namespace reel::cpu {

template <class T> struct RowKernels {
    /// Place of the first largest (smallest) element of at least one; the first NaN's where there is one.
    std::int64_t (*largest)(const T* p, std::int64_t n) = nullptr;
    std::int64_t (*smallest)(const T* p, std::int64_t n) = nullptr;
    /// The sum of squares in float64, of floats. The order is fixed, whatever the instruction set.
    double (*squares)(const T* p, std::int64_t n) = nullptr;
    /// The sum of exp(p[i] - shift), of floats.
    T (*exponentials)(const T* p, std::int64_t n, T shift) = nullptr;
};
template <class T> inline constinit RowKernels<T> row_kernels{};

} // namespace reel::cpu
