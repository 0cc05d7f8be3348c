// The kernel of triangles of matrices.
#pragma once

#include <algorithm>

#include <reel/autograd/kernel.hpp>

namespace reel {

/// Columns [first, last) of row `i` that a triangle keeps.
struct Triangle {
    bool upper;
    std::int64_t diagonal, columns;
    /// Column i + diagonal + `more` within the matrix.
    std::int64_t edge(std::int64_t i, std::int64_t more) const {
        return diagonal >= columns ? columns : std::clamp<std::int64_t>(i + more + diagonal, 0, columns);
    }
    std::int64_t first(std::int64_t i) const { return upper ? edge(i, 0) : 0; }
    std::int64_t last(std::int64_t i) const { return upper ? columns : edge(i, 1); }
};

namespace cpu {
void triangle(const char* op, const Tensor& out, const Tensor& input, const Triangle& keep);
} // namespace cpu

namespace kernels {
/// The triangles of matrices [..., rows, columns], both dense and of one dtype; zeros elsewhere. Devices without it
/// copy row by row.
inline constinit Kernel<decltype(cpu::triangle), Writes<1>> triangle{"tril", &cpu::triangle};
} // namespace kernels

} // namespace reel
