// Kernels of matrix products.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

namespace cpu {
void mm(const Tensor& out, const Tensor& a, const Tensor& b, double alpha, double beta);
void bmm(const Tensor& out, const Tensor& a, const Tensor& b);
} // namespace cpu

namespace kernels {
/// out = alpha a b + beta out for matrices of one dtype, none of them empty: `out` is row-major and dense, `a` and `b`
/// have any strides (`StridedMatrix` tells which of them a library takes as they are).
inline constinit Kernel<decltype(cpu::mm), Writes<0>> mm{"mm", &cpu::mm};
/// out[i] = a[i] b[i] for batches of such matrices; `out` is dense.
inline constinit Kernel<decltype(cpu::bmm), Writes<0>> bmm{"bmm", &cpu::bmm};
} // namespace kernels

/// A matrix as BLAS wants it: dense rows `ld` elements apart, transposed or not; a copy where the strides are others.
class StridedMatrix {
public:
    explicit StridedMatrix(const Tensor& t); ///< `t` must live as long
    explicit StridedMatrix(Tensor&& t) = delete;
    /// Holds the elements; its first one is the matrix's.
    const Tensor& data() const { return copy_.defined() ? copy_ : *given_; }
    std::int64_t ld;
    bool transposed = false;

private:
    const Tensor* given_;
    Tensor copy_;
};

} // namespace reel
