// Matrix products over tensors: strides become what BLAS takes.
#include <reel/autograd/kernels/matmul.hpp>

#include <algorithm>

#include <reel/autograd/host_data.hpp>

#include "cpu/gemm.hpp"
#include "tensor/raw.hpp"

namespace reel {

StridedMatrix::StridedMatrix(const Tensor& t) : data(t) {
    const std::int64_t r = t.size(0), c = t.size(1), sr = t.strides()[0], sc = t.strides()[1];
    transposed = false;
    if ((sc == 1 || c <= 1) && (sr >= std::max<std::int64_t>(c, 1) || r <= 1))
        ld = std::max(r <= 1 ? c : sr, std::max<std::int64_t>(c, 1));
    else if ((sr == 1 || r <= 1) && (sc >= std::max<std::int64_t>(r, 1) || c <= 1)) {
        ld = std::max(c <= 1 ? r : sc, std::max<std::int64_t>(r, 1));
        transposed = true;
    } else {
        data = detail::contiguous_raw(t);
        ld = std::max<std::int64_t>(c, 1);
    }
}

void cpu::mm(const Tensor& out, const Tensor& a, const Tensor& b, double alpha, double beta) {
    const StridedMatrix x(a), y(b);
    gemm(out.scalar_type(), x.transposed, y.transposed, a.size(0), b.size(1), a.size(1), alpha, host_data(x.data, "mm"),
         x.ld, host_data(y.data, "mm"), y.ld, beta, host_data(out, "mm"), std::max<std::int64_t>(out.size(1), 1));
}

} // namespace reel
