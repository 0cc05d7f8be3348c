// Pooling over windows at random places.
#include <reel/autograd/kernels/fractional_max_pool.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <reel/autograd/detail/to_integer.hpp>
#include <reel/autograd/host_data.hpp>

#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {

/// Where the windows start: a sequence with steps of either the floor or the ceiling of `alpha`, shifted by `sample`.
template <class T>
void starts(T sample, std::int64_t in, std::int64_t out, std::int64_t kernel, std::vector<std::int64_t>& at) {
    at.resize(std::size_t(out));
    if (out > 1) {
        const T alpha = T(in - kernel) / T(out - 1);
        for (std::int64_t i = 0; i < out - 1; ++i)
            at[std::size_t(i)] = detail::to_integer<std::int64_t>((T(i) + sample) * alpha) -
                                 detail::to_integer<std::int64_t>(sample * alpha);
    }
    at[std::size_t(out - 1)] = in - kernel;
}
/// The place of the greatest element of the window that starts at `at`; a NaN is the greatest of all.
template <class T>
std::int64_t greatest(const T* image, const std::int64_t (&at)[3], const std::int64_t (&k)[3],
                      const std::int64_t (&in)[3]) {
    std::int64_t best = (at[0] * in[1] + at[1]) * in[2] + at[2];
    double top = -std::numeric_limits<double>::infinity();
    for (std::int64_t z = at[0]; z < at[0] + k[0]; ++z)
        for (std::int64_t y = at[1]; y < at[1] + k[1]; ++y)
            for (std::int64_t x = at[2]; x < at[2] + k[2]; ++x) {
                const std::int64_t i = (z * in[1] + y) * in[2] + x;
                const double v = double(image[i]);
                if (v > top || std::isnan(v)) {
                    top = v;
                    best = i;
                }
            }
    return best;
}

} // namespace

void fractional_max_pool(const char* op, const FractionalPoolGeometry& g, const Tensor& places, const Tensor& input,
                         const Tensor& samples) {
    std::int64_t* place = host_data<std::int64_t>(places, op);
    std::vector<std::int64_t> start[3] = {{0}, {0}, {0}};
    const std::int64_t lead = 3 - g.rank, pixels = g.in[0] * g.in[1] * g.in[2];
    dispatch_floating(input.scalar_type(), op, [&]<class T>() {
        const T *sample = host_data<T>(samples, op), *image = host_data<T>(input, op);
        for (std::int64_t plane = 0; plane < g.planes; ++plane, sample += g.rank, image += pixels) {
            for (std::int64_t i = 0; i < g.rank; ++i) {
                const std::int64_t d = lead + i;
                starts(sample[g.rank == 2 ? 1 - i : i], g.in[d], g.out[d], g.kernel[d], start[d]);
            }
            for (const std::int64_t z : start[0])
                for (const std::int64_t y : start[1])
                    for (const std::int64_t x : start[2]) *place++ = greatest(image, {z, y, x}, g.kernel, g.in);
        }
    });
}

} // namespace reel::cpu
