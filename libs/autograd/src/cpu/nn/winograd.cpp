// Winograd's F(4x4, 3x3) forward and for the gradient of the input: squares of places become 36 frequencies, each a
// matrix product over the channels, and the products become places again.
#include "cpu/nn/winograd.hpp"

#include <vector>

#include <reel/autograd/context.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/nn/winograd_tiles.hpp"
#include "cpu/scratch.hpp"

namespace reel::cpu {

namespace {

using namespace winograd;

constexpr int frequencies = WinogradKernels::frequencies;
constexpr std::int64_t cached = 640 << 10;   // bytes of transformed tiles that stay in the second cache
constexpr std::int64_t smallest_unit = 32;   // tiles of a unit for which it is worth to read the weights
constexpr std::int64_t some = 16;            // channels whose weights are read together
constexpr double worth_a_thread = 500000;    // multiplications
constexpr std::int64_t fewest_channels = 12; // the transforms cost more than the products save, below
constexpr std::int64_t fewest_tiles = 8;     // and so do the weights' (doc/adr/0083 has the measurements)

/// target = the correlation of source with transformed weights.
template <class T> struct Correlation {
    Planes planes;
    std::int64_t channels, results;
    const WinogradKernels& kernel = winograd_kernels;
    std::int64_t lanes = kernel.lanes, source_blocks = blocks_of(channels), blocks = planes.taps * source_blocks,
                 result_blocks = blocks_of(results),
                 sums = planes.taps == 1 ? channels : blocks * lanes, ///< what a product adds up
        weights = result_blocks * sums * lanes;

    /// Transformed weights [frequency][block of results][plane of the kernel, channel][lanes], from w [results,
    /// channels, taps, 3, 3], or, for the adjoint, from w [channels, results, taps, 3, 3] turned by half.
    void transform(const float* w, bool adjoint, float* to) const {
        const std::int64_t taps = planes.taps, k = channels * taps;
        if (sums != k) std::fill_n(to, frequencies * weights, 0.f);
        parallel_for(0, result_blocks * k, 1024, [&](std::int64_t begin, std::int64_t end) {
            const Scratch read(std::size_t(some * 9 * lanes) * sizeof(float));
            for (std::int64_t i = begin, n = 0; i < end; i += n) {
                const std::int64_t first = i / k * lanes, used = std::min(lanes, results - first), j = i % k;
                n = std::min({some, end - i, k - j});
                if (!adjoint)
                    winograd_images<float>.gather(w + (first * k + j) * 9, k * 9, used, n * 9, read.as<float>());
                for (std::int64_t m = 0; m < n; ++m) {
                    const std::int64_t c = (j + m) / taps, tap = (j + m) % taps;
                    float* const square = read.as<float>() + m * 9 * lanes;
                    if (adjoint)
                        winograd_images<float>.gather(w + ((c * results + first) * taps + taps - 1 - tap) * 9, taps * 9,
                                                      used, 9, square);
                    kernel.filter(square, adjoint, to + (i / k * sums + tap * source_blocks * lanes + c) * lanes,
                                  weights);
                }
            }
        });
    }

    void run_unit(const Unit& unit, const T* source, const float* u, const float* bias, T* target, float* v, float* m,
                  float* strip) const {
        const std::int64_t n = unit.tiles(), tiles = (n + kernel.tiles - 1) / kernel.tiles * kernel.tiles;
        // one vector more, so that slices do not share the sets of a cache
        const std::int64_t v_slice = (blocks * tiles + 1) * lanes, m_slice = (result_blocks * tiles + 1) * lanes;
        for (std::int64_t b = 0; b < blocks; ++b) {
            gather_sources(planes, unit, channels, b % source_blocks, b / source_blocks, source, strip);
            float* to = v + b * tiles * lanes;
            kernel.source(strip, unit.sources.data(), n, to, v_slice);
            for (int f = 0; n < tiles && f < frequencies; ++f)
                std::fill_n(to + f * v_slice + n * lanes, (tiles - n) * lanes, 0.f);
        }
        for (int f = 0; f < frequencies; ++f)
            kernel.multiply(sums, v + f * v_slice, u + f * weights, m + f * m_slice, result_blocks, tiles);
        for (std::int64_t b = 0; b < result_blocks; ++b) {
            kernel.result(m + b * tiles * lanes, m_slice, unit.targets.data(), n, bias + b * lanes, strip);
            each_target(planes, unit, results, b,
                        [&](std::int64_t from, std::int64_t to, std::int64_t count, std::int64_t places) {
                            winograd_images<T>.scatter(strip + from, count, places, target + to, planes.target_next());
                        });
        }
    }
    void run(const T* source, const float* w, bool adjoint, const float* bias, T* target) const {
        const Scratch u(std::size_t(frequencies * weights) * sizeof(float));
        transform(w, adjoint, u.as<float>());
        std::vector<float> start(std::size_t(result_blocks * lanes), 0.f);
        if (bias) std::copy_n(bias, results, start.data());
        const std::int64_t tile = frequencies * (blocks + result_blocks) * lanes * std::int64_t(sizeof(float));
        const Units units(planes, std::max(smallest_unit, cached / tile));
        const std::int64_t most = units.each * planes.across() + kernel.tiles,
                           size = frequencies * (most * lanes * std::max(blocks, result_blocks) + lanes);
        const double work = double(units.each * planes.across()) * frequencies * double(sums * results);
        parallel_for(0, units.count, std::max<std::int64_t>(1, std::int64_t(worth_a_thread / work)),
                     [&](std::int64_t begin, std::int64_t end) {
                         const Scratch v(std::size_t(size) * sizeof(float)), m(std::size_t(size) * sizeof(float)),
                             strip(std::size_t(units.places(planes) * lanes) * sizeof(float));
                         Unit unit(planes);
                         for (std::int64_t i = begin; i < end; ++i) {
                             units.cut(i, unit);
                             run_unit(unit, source, u.as<float>(), start.data(), target, v.as<float>(), m.as<float>(),
                                      strip.as<float>());
                         }
                     });
    }
};

} // namespace

bool by_winograd(const ConvGeometry& g) {
    if (!globalContext().userEnabledWinograd() || g.groups != 1) return false;
    if (g.stride[0] != 1 || g.dilation[0] != 1 || g.pad[0] >= g.kernel[0]) return false;
    for (int d = 1; d < 3; ++d)
        if (g.kernel[d] != 3 || g.stride[d] != 1 || g.dilation[d] != 1 || g.pad[d] > 2) return false;
    const std::int64_t tiles = g.batch * g.out[0] * ((g.out[1] + 3) / 4) * ((g.out[2] + 3) / 4);
    return g.in_channels >= fewest_channels && g.out_channels >= fewest_channels && tiles >= fewest_tiles;
}

template <class T> void winograd_forward(const ConvGeometry& g, const T* x, const float* w, const float* bias, T* y) {
    const Planes p{g.batch,  g.in[1],     g.in[2], g.out[1], g.out[2], g.pad[1],
                   g.pad[2], g.kernel[0], g.in[0], g.out[0], g.pad[0]};
    Correlation<T>{p, g.in_channels, g.out_channels}.run(x, w, false, bias, y);
}
template <class T> void winograd_input(const ConvGeometry& g, const T* y, const float* w, const float* bias, T* x) {
    const Planes p{g.batch,
                   g.out[1],
                   g.out[2],
                   g.in[1],
                   g.in[2],
                   2 - g.pad[1],
                   2 - g.pad[2],
                   g.kernel[0],
                   g.out[0],
                   g.in[0],
                   g.kernel[0] - 1 - g.pad[0]};
    Correlation<T>{p, g.out_channels, g.in_channels}.run(y, w, true, bias, x);
}
#define REEL_WINOGRAD(T)                                                                                               \
    template void winograd_forward(const ConvGeometry&, const T*, const float*, const float*, T*);                     \
    template void winograd_input(const ConvGeometry&, const T*, const float*, const float*, T*);
REEL_WINOGRAD(float)
REEL_WINOGRAD(BFloat16)
REEL_WINOGRAD(Half)
#undef REEL_WINOGRAD

} // namespace reel::cpu
