// Pooling over windows at random places.
#include <reel/autograd/kernels/fractional_max_pool.hpp>

#include <limits>

#include <reel/autograd/detail/to_integer.hpp>

#include "elements.cuh"

namespace reel::cuda {

namespace {

/// Where window `i` starts: steps of either the floor or the ceiling of `alpha`, shifted by `sample`.
template <class T>
__device__ std::int64_t start_of(T sample, std::int64_t i, std::int64_t in, std::int64_t out, std::int64_t kernel) {
    if (i == out - 1) return in - kernel;
    const T alpha = T(T(in - kernel) / T(out - 1));
    return detail::to_integer<std::int64_t>((T(i) + sample) * alpha) - detail::to_integer<std::int64_t>(sample * alpha);
}

template <class T>
__global__ void places_kernel(FractionalPoolGeometry g, std::int64_t* places, const T* images, const T* samples) {
    const std::int64_t windows = g.out[0] * g.out[1] * g.out[2], pixels = g.in[0] * g.in[1] * g.in[2];
    for (std::int64_t o = first_place(); o < g.planes * windows; o += place_step()) {
        const std::int64_t plane = o / windows, w = o - plane * windows, row = w / g.out[2];
        const std::int64_t of[3] = {row / g.out[1], row % g.out[1], w % g.out[2]};
        std::int64_t at[3] = {0, 0, 0};
        const int lead = 3 - int(g.rank);
        for (int i = 0; i < int(g.rank); ++i) {
            const int d = lead + i;
            const T sample = samples[plane * g.rank + (g.rank == 2 ? 1 - i : i)];
            at[d] = start_of(sample, of[d], g.in[d], g.out[d], g.kernel[d]);
        }
        std::int64_t best = (at[0] * g.in[1] + at[1]) * g.in[2] + at[2];
        number_t<T> top = -std::numeric_limits<number_t<T>>::infinity();
        for (std::int64_t z = at[0]; z < at[0] + g.kernel[0]; ++z)
            for (std::int64_t y = at[1]; y < at[1] + g.kernel[1]; ++y)
                for (std::int64_t x = at[2]; x < at[2] + g.kernel[2]; ++x) {
                    const std::int64_t i = (z * g.in[1] + y) * g.in[2] + x;
                    const number_t<T> v(images[plane * pixels + i]);
                    if (v > top || is_nan(v)) {
                        top = v;
                        best = i;
                    }
                }
        places[o] = best;
    }
}
void fractional_max_pool(const char* op, const FractionalPoolGeometry& g, const Tensor& places, const Tensor& input,
                         const Tensor& samples) {
    for_dtype<floats | halves>(op, input, [&]<class T>() {
        if (places.numel() == 0) return;
        launch(op, places_kernel<T>, OnDevice(input).over(places.numel()), g, Elements<std::int64_t>(places).data,
               Elements<T>(input).data, Elements<T>(samples).data);
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::fractional_max_pool.set(kCUDA, &fractional_max_pool);
    return true;
}();

} // namespace

} // namespace reel::cuda
