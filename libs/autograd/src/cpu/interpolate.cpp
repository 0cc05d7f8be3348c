// Resampling along one dimension.
#include <reel/autograd/kernels/interpolate.hpp>

#include <algorithm>

#include <reel/autograd/host_data.hpp>

#include "op/dispatch.hpp"

namespace reel::cpu {

void resample(const Tensor& out, const Tensor& x, const ResampleTaps& t, std::int64_t inner, bool adjoint) {
    const std::int64_t line = (adjoint ? t.out : t.in) * inner, outer = line == 0 ? 0 : x.numel() / line;
    detail::dispatch<detail::Floats>(x.scalar_type(), "interpolate", [&]<class T>() {
        const T* const from = host_data<T>(x, "interpolate");
        T* const to = host_data<T>(out, "interpolate");
        std::fill_n(to, out.numel(), T(0));
        for (std::int64_t a = 0; a < outer; ++a)
            for (std::int64_t o = 0; o < t.out; ++o)
                for (std::int64_t k = 0; k < t.per_output; ++k) {
                    const auto at = std::size_t(o * t.per_output + k);
                    const std::int64_t i = (a * t.in + t.index[at]) * inner, j = (a * t.out + o) * inner;
                    const T* const p = from + (adjoint ? j : i);
                    T *const q = to + (adjoint ? i : j), w = T(t.weight[at]);
                    for (std::int64_t c = 0; c < inner; ++c) q[c] += w * p[c];
                }
    });
}

} // namespace reel::cpu
