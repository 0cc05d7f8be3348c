// Vector products of many vectors.
#include <reel/autograd/kernels/cross.hpp>

#include <algorithm>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/pointwise/scalar_math.hpp>

#include "cpu/rows.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

void cross(const char* op, const Tensor& out, const Tensor& a, const Tensor& b, std::int64_t inner) {
    dispatch_all(out.scalar_type(), op, [&]<class T>() {
        const T *const x = static_cast<const T*>(host_data(a, op)), *const y = static_cast<const T*>(host_data(b, op));
        T* const to = static_cast<T*>(host_data(out, op));
        const auto product = [&](std::int64_t i, std::int64_t j) { // each is rounded, as ops would
            return T(math::wrapping(Wide<T>(x[i])) * math::wrapping(Wide<T>(y[j])));
        };
        const auto part = [&](std::int64_t i, std::int64_t j) {
            return T(math::wrapping(Wide<T>(product(i, j))) - math::wrapping(Wide<T>(product(j, i))));
        };
        parallel_for(0, out.numel() / 3, 8192, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t v = begin; v < end; ++v) {
                const std::int64_t first = v / inner * 3 * inner + v % inner, second = first + inner,
                                   third = second + inner;
                to[first] = part(second, third);
                to[second] = part(third, first);
                to[third] = part(first, second);
            }
        });
    });
}

} // namespace reel::cpu
