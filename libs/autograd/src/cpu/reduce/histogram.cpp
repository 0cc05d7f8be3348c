// Points by where they lie.
#include <reel/autograd/kernels/histogram.hpp>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>

#include "op/dispatch.hpp"

namespace reel::cpu {

void histogram(const char* op, const Tensor& sums, const Tensor& cells, const Tensor& points, TensorList edges,
               const Tensor& weight) {
    const std::int64_t n = points.size(0), dims = points.size(1);
    std::vector<const double*> walls;
    for (const Tensor& e : edges) walls.push_back(host_data<double>(e, op));
    const double *at = host_data<double>(points, op), *w = host_data_or_null<double>(weight, op);
    double* const to = host_data<double>(sums, op);
    std::int64_t* const where = host_data<std::int64_t>(cells, op);
    std::fill_n(to, sums.numel(), 0.0);
    for (std::int64_t i = 0; i < n; ++i) {
        std::int64_t cell = 0;
        for (std::int64_t d = 0; d < dims && cell >= 0; ++d) {
            const double v = at[i * dims + d];
            const double* e = walls[std::size_t(d)];
            const std::int64_t bins = sums.size(d);
            if (!(v >= e[0] && v <= e[bins])) cell = -1;
            else cell = cell * bins + std::min<std::int64_t>(std::upper_bound(e, e + bins + 1, v) - e - 1, bins - 1);
        }
        where[i] = cell;
        if (cell >= 0) to[cell] += w ? w[i] : 1;
    }
}

namespace {
/// Points and edges of equal bins; positions are found in the points' own precision, as the reference does.
template <class T> struct EqualBins {
    double low, high;
    std::int64_t bins;
    T from = T(low), to = T(high), count = T(double(bins)), width = T(to - from);

    T position(T v) const { return T(T(T(v - from) * count) / width); }
    bool holds(T v) const { return v >= from && v <= to; }
    std::int64_t bin(T v) const {
        double at = double(position(v));
        if (!std::isfinite(at)) // the product, or the range, is beyond T's numbers: halves are not
            at = (double(v) / 2 - low / 2) / (high / 2 - low / 2) * double(bins);
        return std::int64_t(std::clamp(at, 0., double(bins - 1)));
    }
    static constexpr std::int64_t block = 512;
    /// The bins of a block of points, `bins` of those outside, without branches; false where a position is not finite.
    bool of_block(const T (&p)[block], std::int32_t (&to_bin)[block]) const {
        const T last = T(double(bins - 1));
        int odd = 0;
        for (std::int64_t i = 0; i < block; ++i) {
            const T at = position(p[i]), above = at > T(0) ? at : T(0), place = above < last ? above : last;
            odd |= int(at - at != T(0));
            to_bin[i] = holds(p[i]) ? std::int32_t(place) : std::int32_t(bins);
        }
        return odd == 0;
    }
};
/// Counts by blocks whose bins are found first. Neighbours often share one: four counts of each wait for nobody.
template <class T>
void count_blocks(const EqualBins<T>& bins, const T* p, std::int64_t n, std::vector<std::int64_t>& counts) {
    constexpr std::int64_t block = EqualBins<T>::block;
    const std::size_t table = std::size_t(bins.bins) + 1;
    std::mutex adding;
    const std::int64_t blocks = (n + block - 1) / block, grain = std::max<std::int64_t>(64, bins.bins / 16);
    parallel_for(0, blocks, grain, [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::int64_t> partial(4 * table);
        T points[block] = {};
        std::int32_t bin[block];
        for (std::int64_t first = begin * block; first < std::min(n, end * block); first += block) {
            const std::int64_t m = std::min(block, n - first);
            std::copy_n(p + first, m, points);
            if (!bins.of_block(points, bin))
                for (std::int64_t i = 0; i < m; ++i)
                    bin[i] = std::int32_t(bins.holds(points[i]) ? bins.bin(points[i]) : bins.bins);
            for (std::int64_t i = 0; i < m; ++i) ++partial[std::size_t(i % 4) * table + std::size_t(bin[i])];
        }
        const std::lock_guard lock(adding);
        for (std::size_t i = 0; i < counts.size(); ++i)
            for (std::size_t k = 0; k < 4; ++k) counts[i] += partial[k * table + i];
    });
}
} // namespace

void histc(const Tensor& out, const Tensor& input, double low, double high) {
    const std::int64_t bins = out.numel(), n = input.numel();
    std::vector<std::int64_t> counts(static_cast<std::size_t>(bins));
    dispatch_floating(input.scalar_type(), "histc", [&]<class T>() {
        const EqualBins<T> equal{low, high, bins};
        const T* const p = host_data<T>(input, "histc");
        bool counted = false;
        if constexpr (std::is_floating_point_v<T>)
            if (counted = bins <= 1 << 16 && n >= bins; counted) count_blocks(equal, p, n, counts);
        for (std::int64_t i = 0; !counted && i < n; ++i)
            if (equal.holds(p[i])) ++counts[std::size_t(equal.bin(p[i]))];
        T* const result = host_data<T>(out, "histc");
        for (std::int64_t i = 0; i < bins; ++i) result[i] = T(double(counts[std::size_t(i)]));
    });
}

} // namespace reel::cpu
