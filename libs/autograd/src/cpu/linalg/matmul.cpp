// Matrix products over tensors: strides become what BLAS takes.
#include <reel/autograd/kernels/matmul.hpp>

#include <algorithm>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/linalg/gemm.hpp"
#include "cpu/linalg/small_products.hpp"
#include "tensor/raw.hpp"

namespace reel {

StridedMatrix::StridedMatrix(const Tensor& t) : given_(&t) {
    const std::int64_t r = t.size(0), c = t.size(1), sr = t.strides()[0], sc = t.strides()[1];
    if ((sc == 1 || c <= 1) && (sr >= std::max<std::int64_t>(c, 1) || r <= 1))
        ld = std::max(r <= 1 ? c : sr, std::max<std::int64_t>(c, 1));
    else if ((sr == 1 || r <= 1) && (sc >= std::max<std::int64_t>(r, 1) || c <= 1)) {
        ld = std::max(c <= 1 ? r : sc, std::max<std::int64_t>(r, 1));
        transposed = true;
    } else {
        copy_ = detail::contiguous_raw(t);
        ld = std::max<std::int64_t>(c, 1);
    }
}

void cpu::mm(const Tensor& out, const Tensor& a, const Tensor& b, double alpha, double beta) {
    const StridedMatrix x(a), y(b);
    gemm(out.scalar_type(), x.transposed, y.transposed, a.size(0), b.size(1), a.size(1), alpha,
         host_data(x.data(), "mm"), x.ld, host_data(y.data(), "mm"), y.ld, beta, host_data(out, "mm"),
         std::max<std::int64_t>(out.size(1), 1));
}

void cpu::bmm(const Tensor& out, const Tensor& a, const Tensor& b) {
    if (small_products(out, a, b)) return;
    const auto matrix = [](const Tensor& t, std::int64_t i) { return detail::select_raw(t, 0, i); };
    const std::int64_t work = std::max<std::int64_t>(1, a.size(1) * a.size(2) * b.size(2));
    parallel_for(0, a.size(0), std::max<std::int64_t>(1, 100000 / work), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) mm(matrix(out, i), matrix(a, i), matrix(b, i), 1, 0);
    });
}

} // namespace reel
