// Winograd's F(4x4, 3x3), the gradient of the weights: the adjoint of the forward map, so both factors are transformed
// tile by tile, a matrix product over the tiles adds them up for each of 36 frequencies, and the sums become kernels
// once, at the end.
#include <reel/autograd/parallel.hpp>

#include "cpu/nn/winograd.hpp"
#include "cpu/nn/winograd_tiles.hpp"
#include "cpu/scratch.hpp"

namespace reel::cpu {

namespace {

using namespace winograd;

constexpr int frequencies = WinogradKernels::frequencies;
constexpr std::int64_t cached = 768 << 10; // bytes of transformed tiles that stay in the second cache
constexpr std::int64_t smallest_unit = 64; // tiles of a unit for which it is worth to go through the sums
constexpr std::int64_t some = 16;          // channels whose weights are written together
constexpr std::int64_t most_parts = 8;

template <class T> struct WeightGradient {
    Planes planes;
    std::int64_t channels, results;
    const WinogradKernels& kernel = winograd_kernels;
    std::int64_t lanes = kernel.lanes, source_blocks = blocks_of(channels), blocks = planes.taps * source_blocks,
                 result_blocks = blocks_of(results), slice = result_blocks * blocks * lanes * lanes,
                 sums = frequencies * slice;

    /// Adds what one unit gives to sums [frequency][block of results][plane of the kernel, channel][lanes].
    void add(const Unit& unit, const T* x, const T* y, float* v, float* g, float* strip, float* to, bool first) const {
        const std::int64_t n = unit.tiles();
        const std::int64_t v_slice = (blocks * n + 1) * lanes, g_slice = (result_blocks * n + 1) * lanes;
        for (std::int64_t b = 0; b < blocks; ++b) {
            gather_sources(planes, unit, channels, b % source_blocks, b / source_blocks, x, strip);
            kernel.source(strip, unit.sources.data(), n, v + b * n * lanes, v_slice);
        }
        for (std::int64_t b = 0; b < result_blocks; ++b) {
            each_target(planes, unit, results, b,
                        [&](std::int64_t to, std::int64_t from, std::int64_t count, std::int64_t places) {
                            winograd_images<T>.gather(y + from, planes.target_next(), count, places, strip + to);
                        });
            kernel.gradient(strip, unit.targets.data(), n, g + b * n * lanes, g_slice);
        }
        for (int f = 0; f < frequencies; ++f)
            kernel.outer(blocks, v + f * v_slice, g + f * g_slice, to + f * slice, result_blocks, n, !first);
    }
    /// w [results, channels, taps, 3, 3] from the sums of all parts.
    void finish(const float* from, std::int64_t parts, float* w) const {
        const std::int64_t taps = planes.taps, k = channels * taps;
        parallel_for(0, result_blocks * k, 512, [&](std::int64_t begin, std::int64_t end) {
            const Scratch written(std::size_t(some * 9 * lanes) * sizeof(float));
            for (std::int64_t i = begin, n = 0; i < end; i += n) {
                const std::int64_t block = i / k, j = i % k;
                n = std::min({some, end - i, k - j});
                for (std::int64_t m = 0; m < n; ++m) {
                    const std::int64_t row = (j + m) % taps * source_blocks * lanes + (j + m) / taps;
                    kernel.filter_gradient(from + (block * blocks * lanes + row) * lanes, slice, parts, sums,
                                           written.as<float>() + m * 9 * lanes);
                }
                winograd_images<float>.scatter(written.as<float>(), std::min(lanes, results - block * lanes), n * 9,
                                               w + (block * lanes * k + j) * 9, k * 9);
            }
        });
    }
    void run(const T* x, const T* y, float* w) const {
        const std::int64_t tile = frequencies * (blocks + result_blocks) * lanes * std::int64_t(sizeof(float));
        const Units units(planes, std::max(smallest_unit, cached / tile));
        // Partial sums of units next to each other, as many as the shape says: bits do not depend on the threads.
        const std::int64_t wanted = std::clamp<std::int64_t>(units.count, 1, most_parts),
                           step = (units.count + wanted - 1) / wanted, parts = (units.count + step - 1) / step;
        const Scratch partial(std::size_t(parts * sums) * sizeof(float));
        const std::int64_t size = frequencies * (units.each * planes.across() + 1) * lanes;
        parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
            const Scratch v(std::size_t(size * blocks) * sizeof(float)),
                g(std::size_t(size * result_blocks) * sizeof(float)),
                strip(std::size_t(units.places(planes) * lanes) * sizeof(float));
            Unit unit(planes);
            for (std::int64_t part = begin; part < end; ++part)
                for (std::int64_t i = part * step; i < std::min(units.count, (part + 1) * step); ++i) {
                    units.cut(i, unit);
                    add(unit, x, y, v.as<float>(), g.as<float>(), strip.as<float>(), partial.as<float>() + part * sums,
                        i == part * step);
                }
        });
        finish(partial.as<float>(), parts, w);
    }
};

} // namespace

template <class T> void winograd_weight(const ConvGeometry& g, const T* x, const T* y, float* w) {
    const Planes p{g.batch,  g.in[1],     g.in[2], g.out[1], g.out[2], g.pad[1],
                   g.pad[2], g.kernel[0], g.in[0], g.out[0], g.pad[0]};
    WeightGradient<T>{p, g.in_channels, g.out_channels}.run(x, y, w);
}
template void winograd_weight(const ConvGeometry&, const float*, const float*, float*);
template void winograd_weight(const ConvGeometry&, const BFloat16*, const BFloat16*, float*);
template void winograd_weight(const ConvGeometry&, const Half*, const Half*, float*);

} // namespace reel::cpu
