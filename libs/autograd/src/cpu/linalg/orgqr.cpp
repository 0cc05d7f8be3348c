// Products of reflections, by LAPACK.
#include <reel/autograd/kernels/orgqr.hpp>

#include <algorithm>

#include "cpu/linalg/lapack.hpp"
#include "cpu/rows.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

void orgqr(const Tensor& a, const Tensor& tau) {
    if (a.numel() == 0) return; // however many matrices of nothing there are
    detail::dispatch<detail::Floats | detail::Complexes>(a.scalar_type(), "linalg.qr", [&]<class T>() {
        T* const data = host_data<T>(a, "linalg.qr");
        const T* const factors = host_data<T>(tau, "linalg.qr");
        const std::int64_t m = a.size(-1), columns = a.size(-2), k = tau.size(-1),
                           work = std::max<std::int64_t>(m * columns * k, 1);
        parallel_for(0, a.numel() / (m * columns), std::max<std::int64_t>(1, 50000 / work),
                     [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t i = begin; i < end; ++i)
                             Lapack<T>::orgqr(int(m), int(columns), int(k), data + i * m * columns, factors + i * k);
                     });
    });
}

} // namespace reel::cpu
